// The quiet row under a chart: the picture as PNG or SVG, the numbers as CSV or NPZ, the NumPy lines as a file.
// All of it is made in the browser from what is drawn; nothing is asked of the server.

const version = new URL(import.meta.url).search
const { exact, grids, points } = await import(`./values.js${version}`)
const { npz } = await import(`./npz.js${version}`)

const MAKERS = { png: picture, svg: picture, csv: saveTable, npz: saveArrays, code: saveCode }

export function menu(chart) {
  const buttons = {}
  for (const kind of Object.keys(MAKERS)) {
    const button = document.createElement("button")
    button.type = "button"
    button.onclick = () => MAKERS[kind](chart, kind)
    buttons[kind] = button
  }
  chart.takeAway.append(...Object.values(buttons))
  return {
    update({ takeAway, words }) {
      chart.takeAway.hidden = !takeAway
      chart.takeAway.style.display = takeAway ? "" : "none"
      chart.takeAway.setAttribute("aria-label", words.take_away)
      for (const [kind, button] of Object.entries(buttons)) button.textContent = words[kind]
      buttons.code.hidden = !takeAway?.code
    },
  }
}

// The figure as Python sent it, with the numbers in the precision that they were sent in.
const drawn = (chart) => JSON.parse(chart.drawn.figure)

function fileName(chart) {
  return chart.data.takeAway.name.replace(/[^\p{L}\p{N}._-]+/gu, "_") || "chart"
}

// A picture stands alone: it gets the page's own background, which a chart may leave transparent.
async function picture(chart, format) {
  const { data, layout, clientWidth: width, clientHeight: height } = chart.plot
  const page = getComputedStyle(chart.stage).getPropertyValue("--st-background-color").trim() || "white"
  const { paper_bgcolor: own } = chart.plot._fullLayout
  const paper = /^rgba\(.*,\s*0\)$|^transparent$/.test(own) ? page : own
  const alone = { data, layout: { ...layout, paper_bgcolor: paper } }
  await window.Plotly.downloadImage(alone, { format, filename: fileName(chart), width, height, scale: 2 })
}

function save(chart, ending, type, parts) {
  const url = URL.createObjectURL(new Blob(parts, { type }))
  const link = document.createElement("a")
  link.href = url
  link.download = `${fileName(chart)}.${ending}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10000)
}

// A heatmap becomes a matrix with its labels; other traces become one line for each point.
function saveTable(chart) {
  const figure = drawn(chart)
  const found = grids(figure)
  const blocks = found.length ? found.map((grid) => matrix(grid, found.length > 1)) : [listing(figure)]
  const text = blocks.map((rows) => rows.map((row) => row.map(quoted).join(",")).join("\r\n")).join("\r\n\r\n")
  save(chart, "csv", "text/csv;charset=utf-8", ["\ufeff", text, "\r\n"]) // the mark tells spreadsheets that it is UTF-8
}

function matrix({ trace, name, z, rows, columns }, titled) {
  const width = z.shape[1]
  const written = (value) => exact(value, z.dtype)
  const numbers = (row) => Array.from(z.values.subarray(row * width, (row + 1) * width), written)
  const head = ["", ...columns.map(harmless)]
  const body = rows.map((label, row) => [harmless(label), ...numbers(row)])
  return titled ? [[harmless(name ?? String(trace))], head, ...body] : [head, ...body]
}

function listing(figure) {
  const all = points(figure).map(({ trace, name, numbers, texts }) => {
    const columns = Object.entries(texts).map(([key, words]) => [key, words.map(harmless)])
    for (const [key, { dtype, values }] of Object.entries(numbers))
      columns.push([key, Array.from(values, (value) => exact(value, dtype))])
    return { title: harmless(name ?? String(trace)), columns: Object.fromEntries(columns) }
  })
  const names = [...new Set(all.flatMap(({ columns }) => Object.keys(columns)))].sort()
  const lines = all.flatMap(({ title, columns }) => {
    const length = Math.max(0, ...Object.values(columns).map((column) => column.length))
    const line = (_, index) => [title, String(index), ...names.map((key) => columns[key]?.[index] ?? "")]
    return Array.from({ length }, line)
  })
  return [["trace", "point", ...names], ...lines]
}

const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

// A token may look like a spreadsheet formula; a leading apostrophe makes it text.
const harmless = (text) => (/^[=+@\t\r]|^-(?!\d)/.test(text) ? `'${text}` : text)

function saveArrays(chart) {
  const name = fileName(chart)
  const figure = drawn(chart)
  const found = grids(figure)
  const arrays = {}
  for (const { trace, z } of found) arrays[found.length > 1 ? `${name}_${trace}` : name] = z
  if (!found.length)
    for (const { trace, numbers } of points(figure))
      for (const [field, values] of Object.entries(numbers)) arrays[`${name}_${trace}_${field}`] = values
  save(chart, "npz", "application/zip", [npz(arrays)])
}

function saveCode(chart) {
  save(chart, "py", "text/x-python;charset=utf-8", [chart.data.takeAway.code])
}
