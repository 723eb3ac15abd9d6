// What the reader sees of a figure: its width, the part zoomed into, what a finger does. It outlives new data.
// Plotly's own uirevision keeps cameras and hidden curves, but drops a zoom when the axis' range is set anew, and here
// it grows with the sentence: so the zoom is kept by hand.

const SPACES = ["scatter3d", "surface", "mesh3d", "cone", "streamtube", "isosurface", "volume"]
const SWIPE = 10 // pixels: a finger that moves further scrolls, it does not pick

// The layout as Python made it, at the element's width, with the reader's own zoom put back on the axes.
export function settled(chart, traces, layout) {
  const template = layout.template?.layout ?? {}
  const given = (setting) => setting in layout || setting in template
  for (const paper of ["paper_bgcolor", "plot_bgcolor"]) if (!given(paper)) layout[paper] = "rgba(0,0,0,0)"
  layout.font = { family: getComputedStyle(chart.stage).fontFamily, ...template.font, ...layout.font }
  if (!given("hoverlabel")) layout.hoverlabel = { font: { family: layout.font.family } }
  if (window.matchMedia("(pointer: coarse)").matches) leaveScrolling(traces, layout)
  delete layout.width
  layout.autosize = true
  layout.height = chart.data.height
  layout.uirevision = `${chart.data.key} ${chart.data.view}`
  chart.ranges = {}
  for (const [axis, range] of Object.entries(chart.zoom)) {
    chart.ranges[axis] = layout[axis]?.range
    layout[axis] = { ...layout[axis], range: [...range], autorange: false }
  }
  return layout
}

// A finger on a flat figure scrolls the page; a figure in space it may still turn.
function leaveScrolling(traces, layout) {
  layout.dragmode = false
  if (traces.some(({ type }) => SPACES.includes(type))) layout.scene = { dragmode: "turntable", ...layout.scene }
}

export function watch(chart) {
  chart.plot.on("plotly_relayout", (changes) => remember(chart, changes))
  chart.plot.on("plotly_doubleclick", () => reset(chart))
  watchFinger(chart)
}

function remember(chart, changes) {
  if (chart.resetting) return
  for (const setting of Object.keys(changes)) {
    const axis = setting.match(/^[xy]axis\d*/)?.[0]
    if (!axis) continue
    if (!(axis in chart.zoom)) chart.ranges[axis] = JSON.parse(chart.drawn.figure).layout[axis]?.range
    chart.zoom[axis] = [...chart.plot.layout[axis].range]
  }
  chart.cursor.place()
}

// Back to the ranges that the figure itself asks for today, not to those of the sentence in which the zoom began.
async function reset(chart) {
  const changes = {}
  for (const axis of Object.keys(chart.zoom)) {
    const range = chart.ranges[axis]
    changes[range ? `${axis}.range` : `${axis}.autorange`] = range ?? true
  }
  chart.zoom = {}
  chart.resetting = true
  await window.Plotly.relayout(chart.plot, changes)
  chart.resetting = false
  chart.cursor.place()
}

// Without its dragging, Plotly takes the end of a swipe for a click on the cell where it began, and a tap, together with
// the mouse click that the browser makes of it, for a double click.
function watchFinger(chart) {
  let begun = null
  const place = ({ touches: [{ clientX, clientY }] }) => [clientX, clientY]
  const start = (event) => {
    begun = place(event)
    chart.swiped = false
  }
  const move = (event) => {
    const [x, y] = place(event)
    if (begun && Math.hypot(x - begun[0], y - begun[1]) > SWIPE) chart.swiped = true
  }
  chart.stage.addEventListener("touchstart", start, { passive: true, capture: true })
  chart.stage.addEventListener("touchmove", move, { passive: true, capture: true })
  const end = (event) => {
    if (!chart.swiped && event.cancelable && event.target.closest(".nsewdrag")) event.preventDefault()
  }
  chart.stage.addEventListener("touchend", end, { passive: false, capture: true })
  chart.stage.addEventListener("mousedown", () => (chart.swiped = false), { capture: true })
}
