// One figure, drawn by Plotly and updated in place: zoom, camera, hover and the DOM node outlive new data.
// Python's side is ui/chart.py. Everything that comes from the reader enters the page as text, never as markup.

const version = new URL(import.meta.url).search
const [{ walker }, { menu }, { tableRows }, { settled, watch }, { adopt }, linked] = await Promise.all(
  ["cursor", "takeaway", "values", "view", "style", "link"].map((name) => import(`./${name}.js${version}`)),
)
await adopt("chart")

const CONFIG = { displayModeBar: false, displaylogo: false, scrollZoom: false, doubleClick: false, responsive: false }
const charts = new WeakMap() // the element's root -> its chart
let numbered = 0
let plotlyLoading = null

export function draw({ data, parentElement, setTriggerValue }) {
  const chart = charts.get(parentElement) ?? open(parentElement)
  chart.data = data
  chart.report = (pick) => setTriggerValue("pick", pick)
  if (chart.waiting) return chart.painting // a paint is already on its way and will use these data
  chart.waiting = true
  chart.painting = chart.painting.then(() => paint(chart)).catch((error) => fail(chart, error))
  return chart.painting
}

export function remove(parentElement) {
  const chart = charts.get(parentElement)
  if (!chart) return
  charts.delete(parentElement)
  linked.part(chart)
  chart.removed = true
  chart.observer.disconnect()
  clearTimeout(chart.tabling)
  if (chart.listening) window.Plotly.purge(chart.plot)
}

function open(parentElement) {
  const figure = parentElement.querySelector("figure")
  const stage = part("div", "glass-stage", { tabindex: "0", role: "application" })
  const plot = part("div", "glass-plot", { role: "img" })
  const help = part("span", "glass-help", { id: `glass-help-${++numbered}` })
  const said = part("span", "glass-said", { "aria-live": "polite" })
  const table = part("div", "glass-table", {})
  const aside = part("div", "glass-aside", {})
  const takeAway = part("div", "glass-menu", { role: "group" })
  const failed = part("div", "glass-failed", { role: "alert", hidden: "" })
  stage.setAttribute("aria-describedby", help.id)
  stage.append(plot)
  aside.append(help, said, table)
  figure.replaceChildren(stage, failed, takeAway, aside)

  const chart = { stage, plot, help, said, table, takeAway, failed, zoom: {}, painting: Promise.resolve() }
  chart.cursor = walker(chart)
  chart.menu = menu(chart)
  linked.join(chart)
  chart.observer = new ResizeObserver(() => fit(chart))
  chart.observer.observe(stage)
  charts.set(parentElement, chart)
  return chart
}

function part(tag, name, attributes) {
  const node = document.createElement(tag)
  node.className = name
  for (const [attribute, value] of Object.entries(attributes)) node.setAttribute(attribute, value)
  return node
}

async function paint(chart) {
  chart.stage.style.height = `${chart.data.height}px` // before Plotly has come, so that nothing below it jumps
  const Plotly = await loadPlotly()
  chart.waiting = false
  if (chart.removed) return
  const { data, drawn } = chart
  name(chart, data)
  const same = (setting) => drawn?.[setting] === data[setting]
  if (!same("view") || !same("key")) start(chart)
  if (!["figure", "view", "key", "height"].every(same)) await redraw(Plotly, chart, data)
  tabulate(chart)
}

async function redraw(Plotly, chart, data) {
  chart.failed.hidden = true
  chart.stage.hidden = false
  const { data: traces, layout } = JSON.parse(data.figure)
  await Plotly.react(chart.plot, traces, settled(chart, traces, layout), CONFIG)
  if (!chart.listening) listen(chart)
  chart.drawn = data
  chart.cursor.place()
  linked.unmark(chart)
  const walkable = chart.cursor.walkable()
  chart.stage.tabIndex = walkable ? 0 : -1
  chart.stage.setAttribute("role", walkable ? "application" : "group")
}

// Another view, or another chart in the place of this one: nothing of the reader's zoom and cursor is kept.
function start(chart) {
  chart.zoom = {}
  chart.cursor.move(null)
}

function loadPlotly() {
  plotlyLoading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script")
    script.src = new URL(`./plotly.min.js${version}`, import.meta.url).href
    script.onload = () => resolve(window.Plotly)
    script.onerror = () => {
      plotlyLoading = null // the next drawing tries again
      reject(new Error("plotly.min.js"))
    }
    document.head.append(script)
  })
  return plotlyLoading
}

function name(chart, data) {
  chart.plot.setAttribute("aria-label", data.alt)
  chart.stage.setAttribute("aria-label", data.alt)
  chart.help.textContent = data.words.keyboard
  chart.menu.update(data)
}

function fail(chart, error) {
  chart.waiting = false
  chart.drawn = null // whatever comes next is drawn afresh
  chart.failed.textContent = `${chart.data.words.failed} (${error.message})`
  chart.failed.hidden = false
  chart.stage.hidden = true
}

function listen(chart) {
  chart.listening = true
  watch(chart)
  linked.listenForHover(chart)
  chart.plot.on("plotly_click", ({ points }) => {
    const pick = picked(points)
    if (!pick || chart.swiped) return
    chart.cursor.move(pick)
    chart.stage.focus({ preventScroll: true })
    chart.report(pick)
  })
}

// [trace, row, column] of a clicked thing; see Pick in ui/chart.py.
function picked(points) {
  const point = points.find(({ pointNumber }) => Array.isArray(pointNumber)) ?? points[0]
  if (!point) return null
  const { curveNumber, pointNumber } = point
  const pick = Array.isArray(pointNumber) ? [curveNumber, ...pointNumber] : [curveNumber, pointNumber, curveNumber]
  return pick.every(Number.isInteger) ? pick : null // a bin of a histogram has no one point
}

async function fit(chart) {
  if (!chart.drawn || !chart.stage.clientWidth) return
  await window.Plotly.Plots.resize(chart.plot)
  chart.cursor.place()
}

// The hidden table is for a reader who listens, so it may wait until the typing pauses.
function tabulate(chart) {
  clearTimeout(chart.tabling)
  const { figure, alt, table } = chart.data
  const content = `${alt} ${JSON.stringify(table)} ${figure}`
  if (chart.tabled === content) return // a table that has not changed keeps the listener's place in it
  chart.tabling = setTimeout(() => {
    chart.tabled = content
    const rows = table ?? tableRows(JSON.parse(figure))
    chart.table.replaceChildren(...(rows.length ? [tableOf(rows, alt)] : []))
  }, 250)
}

function tableOf(rows, caption) {
  const table = document.createElement("table")
  table.createCaption().textContent = caption
  rows.forEach((row, number) => {
    const line = table.insertRow()
    row.forEach((text, column) => {
      const cell = document.createElement(number && column ? "td" : "th")
      if (cell.tagName === "TH") cell.scope = number ? "row" : "col"
      cell.textContent = text
      line.append(cell)
    })
  })
  return table
}
