// NumPy's .npz: a zip of .npy files. Both formats are short enough to be written by hand, uncompressed.
// Sources: numpy.lib.format (version 1.0) and PKWARE's APPNOTE, method 0.

// {name: {dtype, shape, values}} -> the bytes of the file.
export function npz(arrays) {
  const parts = []
  const directory = []
  let offset = 0
  for (const [name, array] of Object.entries(arrays)) {
    const file = entry(`${name}.npy`, npy(array))
    const local = file.local()
    directory.push(file.central(offset))
    parts.push(local, file.bytes)
    offset += local.length + file.bytes.length
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0)
  const count = [2, directory.length]
  const end = fields([4, 0x06054b50], [2, 0], [2, 0], count, count, [4, size], [4, offset], [2, 0])
  return joined([...parts, ...directory, end])
}

function npy({ dtype, shape, values }) {
  const order = dtype.endsWith("1") ? "|" : "<" // one byte has no order; browsers are little-endian
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`
  const described = `{'descr': '${order}${dtype}', 'fortran_order': False, 'shape': ${tuple}, }`
  const length = Math.ceil((10 + described.length + 1) / 64) * 64 - 10 // numbers start at a multiple of 64 bytes
  const header = new TextEncoder().encode(described.padEnd(length - 1) + "\n")
  const magic = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0)
  const numbers = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  return joined([magic, fields([2, length]), header, numbers])
}

function entry(name, bytes) {
  const path = new TextEncoder().encode(name)
  const utf8 = 0x0800
  const day = 0x0021 // 1 January 1980: the file tells the numbers, not when they were taken
  const size = [4, bytes.length]
  const common = [[2, 20], [2, utf8], [2, 0], [2, 0], [2, day], [4, crc32(bytes)], size, size, [2, path.length], [2, 0]]
  return {
    bytes,
    local: () => joined([fields([4, 0x04034b50], ...common), path]),
    central: (offset) =>
      joined([fields([4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), path]),
  }
}

// Little-endian unsigned numbers, each given as [bytes, value].
function fields(...numbers) {
  const view = new DataView(new ArrayBuffer(numbers.reduce((sum, [size]) => sum + size, 0)))
  let offset = 0
  for (const [size, value] of numbers) {
    if (size === 2) view.setUint16(offset, value, true)
    else view.setUint32(offset, value, true)
    offset += size
  }
  return new Uint8Array(view.buffer)
}

function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

function crc32(bytes) {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
