// The numbers of a figure as Python sent it: typed arrays in base64 ({dtype, bdata, shape}) or plain lists.

const TYPES = {
  f4: Float32Array, f8: Float64Array, i1: Int8Array, i2: Int16Array, i4: Int32Array,
  u1: Uint8Array, u2: Uint16Array, u4: Uint32Array,
}
const GRIDS = ["heatmap", "contour"]
const POINTS = ["x", "y", "z", "values", "labels"]
const TABLE_CELLS = 1200 // a table read aloud; a larger one helps nobody and slows the page

// {dtype, shape, values}: flat values in C order. null when the field holds no numbers.
export function decode(field) {
  if (field?.bdata !== undefined) {
    const bytes = Uint8Array.from(atob(field.bdata), (letter) => letter.charCodeAt(0))
    const values = new TYPES[field.dtype](bytes.buffer)
    const shape = field.shape ? String(field.shape).split(",").map(Number) : [values.length]
    return { dtype: field.dtype, shape, values }
  }
  if (!Array.isArray(field) || !field.length) return null
  const shape = Array.isArray(field[0]) ? [field.length, field[0].length] : [field.length]
  const flat = field.flat()
  if (!flat.every((value) => value === null || typeof value === "number")) return null
  return { dtype: "f8", shape, values: Float64Array.from(flat, (value) => value ?? NaN) }
}

// The heatmaps of a figure: [{trace, z, rows: labels, columns: labels}].
export function grids(figure) {
  const found = []
  figure.data.forEach((trace, number) => {
    if (!GRIDS.includes(trace.type)) return
    const z = decode(trace.z)
    if (z?.shape.length !== 2) return
    const rows = labels(figure.layout[axisName(trace.yaxis, "y")], trace.y, z.shape[0])
    const columns = labels(figure.layout[axisName(trace.xaxis, "x")], trace.x, z.shape[1])
    found.push({ trace: number, name: trace.name, z, rows, columns })
  })
  return found
}

// The fields of all other traces: [{trace, name, numbers: {x: decoded, …}, texts: {x_label: [text, …], …}}].
export function points(figure) {
  return figure.data.map((trace, number) => {
    const numbers = {}
    const texts = {}
    for (const field of POINTS) {
      const axis = figure.layout[axisName(trace[`${field}axis`], field)]
      const values = decode(trace[field])
      if (values) numbers[field] = values
      if (values && axis?.ticktext) texts[`${field}_label`] = labels(axis, trace[field], values.values.length)
      if (!values && Array.isArray(trace[field])) texts[field] = trace[field].map(plain)
    }
    return { trace: number, name: trace.name, numbers, texts }
  })
}

function axisName(reference, letter) {
  return `${letter}axis${(reference ?? letter).slice(1)}`
}

// One label for each row or column: the axis' own tick text where it has one, else the coordinate.
export function labels(axis, coordinates, length) {
  const at = decode(coordinates)?.values ?? coordinates ?? Array.from({ length }, (_, index) => index)
  const ticks = decode(axis?.tickvals)?.values ?? axis?.tickvals ?? []
  const texts = new Map(Array.from(ticks, (tick, index) => [tick, axis?.ticktext?.[index]]))
  return Array.from({ length }, (_, index) => plain(texts.get(at[index]) ?? at[index] ?? index))
}

// Plotly's little markup as the text that it shows.
export function plain(text) {
  const names = { lt: "<", gt: ">", amp: "&", quot: '"', nbsp: "\u00a0", "#39": "'", "#x27": "'" }
  const bare = String(text).replace(/<\/?(b|i|u|s|a|em|sub|sup|span|br)\b[^>]*>/gi, "")
  return bare.replace(/&(lt|gt|amp|quot|nbsp|#39|#x27);/g, (_, name) => names[name])
}

// The shortest decimal number that is this value again, in the precision that it has.
export function exact(value, dtype) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "" : String(value).replace("Infinity", "inf")
  if (dtype !== "f4") return String(value)
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return String(short)
  }
  return String(Number(value.toPrecision(9)))
}

// Rows of a table for a reader who listens: the figure's one heatmap, if it is small enough to be read aloud.
export function tableRows(figure) {
  const [grid, another] = grids(figure)
  if (!grid || another || grid.z.values.length > TABLE_CELLS) return []
  const [, width] = grid.z.shape
  const rounded = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(3))) : exact(value))
  const line = (label, row) => [label, ...Array.from(grid.z.values.subarray(row * width, (row + 1) * width), rounded)]
  return [["", ...grid.columns], ...grid.rows.map(line)]
}
