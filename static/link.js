// Charts that share a link: what the reader points at in one is marked in all the others.
// A chart's data.link is {group, x, y}: the group's name, and what each axis counts (a token, a place, a step). A chart
// marks whatever of the pointed place its own axes count: a cell, a whole row or column, or a place on a curve.

const linked = new Set()

// A frame of this class over a chart, in a pane of the size of its axes, which cuts it off.
export function glass(chart, name) {
  const pane = document.createElement("div")
  const frame = document.createElement("div")
  pane.className = "glass-window"
  frame.className = name
  pane.hidden = true
  pane.append(frame)
  chart.stage.append(pane)
  return { pane, frame }
}

export function box(node, left, top, width, height) {
  Object.assign(node.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` })
}

export function join(chart) {
  chart.mark = glass(chart, "glass-link")
  linked.add(chart)
}

export function part(chart) {
  linked.delete(chart)
}

export function listenForHover(chart) {
  chart.plot.on("plotly_hover", ({ points: [{ x, y }] }) => point(chart, x, y))
  chart.plot.on("plotly_unhover", () => leave(chart))
}

// New data may have moved what is marked: the mark is taken away until the reader points again.
export function unmark(chart) {
  chart.mark.pane.hidden = true
}

function others(chart) {
  const group = chart.data.link?.group
  if (!group) return []
  return [...linked].filter((other) => other !== chart && other.drawn && other.data.link?.group === group)
}

// The reader points at this place of the chart, with the mouse or the keyboard; and no longer does.
export function point(chart, x, y) {
  unmark(chart)
  const { link } = chart.data
  if (!link) return
  const at = { [link.x]: x, [link.y]: y }
  others(chart).forEach((other) => show(other, at))
}

export function leave(chart) {
  others(chart).forEach(clear)
}

function clear(chart) {
  unmark(chart)
  window.Plotly.Fx.unhover(chart.plot)
}

// Plotly tells nobody of a hover that a script asks for, so that marks do not answer one another.
function show(chart, at) {
  const { link } = chart.data
  const x = link.x ? at[link.x] : undefined
  const y = link.y ? at[link.y] : undefined
  const grid = chart.plot._fullData.some(({ type }) => type === "heatmap")
  if (x === undefined && y === undefined) return clear(chart)
  place(chart, grid, x, y)
  if (!grid) window.Plotly.Fx.hover(chart.plot, { xval: x }, "xy")
  else if (x !== undefined && y !== undefined) window.Plotly.Fx.hover(chart.plot, { xval: x, yval: y }, "xy")
}

function place(chart, grid, x, y) {
  const { xaxis, yaxis } = chart.plot._fullLayout
  const { pane, frame } = chart.mark
  const [left, width] = extent(xaxis, x, grid)
  const [top, height] = extent(yaxis, grid ? y : undefined, grid)
  pane.hidden = false
  box(pane, xaxis._offset, yaxis._offset, xaxis._length, yaxis._length)
  box(frame, left, top, width, height)
}

// Where a cell of width 1 lies along an axis; a place on a curve is a line; an axis without a mark is marked whole.
function extent(axis, at, grid) {
  if (at === undefined) return [0, axis._length]
  const middle = axis.d2p(at)
  if (!grid) return [middle - 1, 2]
  const size = Math.abs(axis.d2p(1) - axis.d2p(0))
  return [middle - size / 2, size]
}
