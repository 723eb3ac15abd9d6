// The keyboard's hand in a chart: a visible frame that walks over cells (or points), shows their hover and picks them.

const version = new URL(import.meta.url).search
const { plain } = await import(`./values.js${version}`)
const { box, glass, leave, point } = await import(`./link.js${version}`)

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }
const POINT = 14 // the size of the frame around a point, in pixels

export function walker(chart) {
  const cursor = { chart, ...glass(chart, "glass-cursor"), at: null }
  chart.stage.addEventListener("keydown", (event) => press(cursor, event))
  chart.stage.addEventListener("focus", () => chart.stage.matches(":focus-visible") && show(cursor))
  chart.stage.addEventListener("blur", () => hide(cursor))
  return {
    move: (pick) => { cursor.at = pick },
    place: () => place(cursor),
    walkable: () => find(cursor) !== null,
  }
}

function press(cursor, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !find(cursor)) return
  if (event.key === "Escape") cursor.chart.stage.blur()
  else if (event.key === "Enter" || event.key === " ") pick(cursor)
  else if (event.key in STEPS) step(cursor, ...STEPS[event.key])
  else if (event.key === "Home") step(cursor, 0, -Infinity)
  else if (event.key === "End") step(cursor, 0, Infinity)
  else return
  event.preventDefault()
  event.stopPropagation() // the arrows are the chart's while it has the focus, not the page's stepping keys
}

// A hidden cursor is only shown: nobody picks what he does not see.
function pick(cursor) {
  const hidden = cursor.pane.hidden
  show(cursor)
  if (!hidden) cursor.chart.report(cursor.at)
}

// The trace that the cursor is in (the first that can be walked, when it is in none), and its place, kept inside.
function find(cursor) {
  const { _fullData: traces = [], calcdata = [] } = cursor.chart.plot
  const walkable = traces.map((trace) => space(trace, calcdata[trace.index])).filter(Boolean)
  if (!walkable.length) return null
  const grid = walkable.some(({ cells }) => cells)
  const candidates = walkable.filter(({ cells }) => Boolean(cells) === grid) // points laid over cells are marks on them
  const inside = candidates.find(({ trace }) => trace.index === cursor.at?.[0])
  const here = inside ?? candidates[0]
  const [, row, column] = inside ? cursor.at : [0, 0, 0]
  const at = [here.trace.index, clamp(row, here.rows), here.cells ? clamp(column, here.columns) : here.trace.index]
  return { here, candidates, at }
}

function space(trace, calculated) {
  if (!trace.visible || trace.visible === "legendonly" || !trace.xaxis || !calculated?.length) return null
  if (trace.hoverinfo === "skip") return null
  const [first] = calculated
  if (trace.type === "heatmap") return { trace, cells: first, rows: first.z.length, columns: first.z[0]?.length ?? 0 }
  if (trace.type === "image") return { trace, cells: edges(trace, first), rows: first.h, columns: first.w }
  if (trace.type === "scatter" || trace.type === "bar" || trace.type === "scattergl")
    return { trace, points: calculated, rows: calculated.length, columns: 1 }
  return null
}

function edges(trace, { x0, y0, w, h }) {
  const along = (start, by, count) => Array.from({ length: count + 1 }, (_, index) => start + (index - 0.5) * by)
  return { x: along(x0, trace.dx, w), y: along(y0, trace.dy, h) }
}

const clamp = (number, count) => Math.max(0, Math.min(number, count - 1))

function step(cursor, down, right) {
  const { here, candidates, at } = find(cursor)
  const next = () =>
    here.cells ? nextCell(cursor, here, at, down, right) : nextPoint(here, candidates, at, down, right)
  if (cursor.at) cursor.at = next()
  show(cursor)
}

function nextCell(cursor, { rows, columns }, [trace, row, column], down, right) {
  const [tall, wide] = cursor.chart.data.tile ?? [1, 1]
  const along = (place, by, size, count) =>
    clamp(Math.floor(place / size) + by, Math.ceil(count / size)) * size
  return [trace, along(row, down, tall, rows), along(column, right, wide, columns)]
}

function nextPoint(here, candidates, [, point], down, right) {
  const curve = candidates[clamp(candidates.indexOf(here) + down, candidates.length)]
  return [curve.trace.index, clamp(point + right, curve.rows), curve.trace.index]
}

function show(cursor) {
  const found = find(cursor)
  if (!found) return
  cursor.at = found.at
  cursor.pane.hidden = false
  place(cursor)
  const { here } = found
  const [x, y] = centre(cursor, here)
  const subplot = here.trace.xaxis + here.trace.yaxis
  const target = here.cells ? { xval: x, yval: y } : [{ curveNumber: here.trace.index, pointNumber: cursor.at[1] }]
  window.Plotly.Fx.hover(cursor.chart.plot, target, subplot)
  point(cursor.chart, x, y)
  cursor.chart.said.textContent = spoken(cursor, here, x, y)
}

function hide(cursor) {
  if (cursor.pane.hidden) return
  cursor.pane.hidden = true
  cursor.chart.said.textContent = ""
  leave(cursor.chart)
  window.Plotly.Fx.unhover(cursor.chart.plot)
}

function axes(cursor, { xaxis, yaxis }) {
  const layout = cursor.chart.plot._fullLayout
  return [layout[`xaxis${xaxis.slice(1)}`], layout[`yaxis${yaxis.slice(1)}`]]
}

function tile(cursor, { rows, columns }) {
  const [tall, wide] = cursor.chart.data.tile ?? [1, 1]
  const [, row, column] = cursor.at
  return [row, column, Math.min(row + tall, rows), Math.min(column + wide, columns)]
}

function centre(cursor, here) {
  const [, row, column] = cursor.at
  if (!here.cells) return position(here, row)
  const { x, y } = here.cells
  return [(x[column] + x[column + 1]) / 2, (y[row] + y[row + 1]) / 2]
}

function position({ trace, points }, number) {
  const point = points[number]
  if (trace.type !== "bar") return [point.x, point.y]
  return trace.orientation === "h" ? [point.s, point.p] : [point.p, point.s]
}

// Puts the frame round the cell, inside a pane that is exactly the plot's window, so that zooming cuts it off.
function place(cursor) {
  if (cursor.pane.hidden) return
  const found = find(cursor)
  if (!found) return void (cursor.pane.hidden = true)
  const { here } = found
  cursor.at = found.at // the data may have shrunk
  const [xaxis, yaxis] = axes(cursor, here.trace)
  box(cursor.pane, xaxis._offset, yaxis._offset, xaxis._length, yaxis._length)
  if (!here.cells) {
    const [x, y] = centre(cursor, here)
    return box(cursor.frame, xaxis.c2p(x) - POINT / 2, yaxis.c2p(y) - POINT / 2, POINT, POINT)
  }
  const [row, column, rowEnd, columnEnd] = tile(cursor, here)
  const across = [here.cells.x[column], here.cells.x[columnEnd]].map((edge) => xaxis.c2p(edge)).sort((a, b) => a - b)
  const along = [here.cells.y[row], here.cells.y[rowEnd]].map((edge) => yaxis.c2p(edge)).sort((a, b) => a - b)
  box(cursor.frame, across[0], along[0], across[1] - across[0], along[1] - along[0])
}

function spoken(cursor, here, x, y) {
  const [xaxis, yaxis] = axes(cursor, here.trace)
  const [, row, column] = cursor.at
  const value = here.cells?.z?.[row]?.[column]
  const shown = Number.isFinite(value) ? `: ${Number(value.toPrecision(3))}` : ""
  return `${tick(yaxis, y)}, ${tick(xaxis, x)}${shown}`
}

function tick(axis, coordinate) {
  const index = Array.from(axis.tickvals ?? []).indexOf(coordinate)
  const text = index < 0 ? undefined : axis.ticktext?.[index]
  return text === undefined ? String(Number(Number(coordinate).toPrecision(3))) : plain(text)
}
