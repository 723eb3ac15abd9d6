// The token strip: chips in the order of the tokens whatever their script, updated in place, walked by the arrows.
// Python's side is ui/tokens.py. Token text enters the page as text, never as markup.

const version = new URL(import.meta.url).search
const { adopt } = await import(`./style.js${version}`)
await adopt("tokens")

const strips = new WeakMap() // the element's root -> its strip

// Escape leaves the sentence box above, so that the keys of charts and steps can be used without the mouse.
document.addEventListener("keydown", ({ key, target, isComposing }) => {
  if (key === "Escape" && !isComposing && target.matches?.("input")) target.blur()
})

export function draw({ data, parentElement, setTriggerValue }) {
  const strip = strips.get(parentElement) ?? open(parentElement)
  const changed = strip.data?.picked !== data.picked || strip.data?.tokens.length !== data.tokens.length
  strip.data = data
  strip.report = (index) => setTriggerValue("pick", index)
  strip.figure.classList.toggle("dark", isDark(strip.figure))
  strip.bar.setAttribute("aria-label", data.words.strip)
  const groups = grouped(data.tokens)
  reconcile(strip.bar, groups, newGroup, (node, group) => fillGroup(strip, node, group))
  stops(strip)
  if (changed) reveal(strip)
}

export function remove(parentElement) {
  strips.delete(parentElement)
}

function open(parentElement) {
  const figure = parentElement.querySelector("figure")
  const bar = document.createElement("div")
  bar.className = "glass-strip"
  bar.setAttribute("role", "toolbar")
  const strip = { figure, bar }
  bar.addEventListener("click", (event) => {
    const chip = event.target.closest("button")
    if (chip) strip.report(Number(chip.dataset.index))
  })
  bar.addEventListener("keydown", (event) => press(strip, event))
  bar.addEventListener("focusin", (event) => stops(strip, event.target.closest("button")))
  figure.replaceChildren(bar)
  strips.set(parentElement, strip)
  return strip
}

function isDark(node) {
  const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true })
  probe.fillStyle = getComputedStyle(node).getPropertyValue("--st-background-color").trim() || "white"
  probe.fillRect(0, 0, 1, 1)
  const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 128
}

// Consecutive tokens of one group: [[token, …], …].
function grouped(tokens) {
  const groups = []
  for (const token of tokens) {
    const last = groups.at(-1)
    if (last && token.group !== null && last[0].group === token.group) last.push(token)
    else groups.push([token])
  }
  return groups
}

// As many children as items, each filled anew; the nodes that are there stay.
function reconcile(parent, items, make, fill) {
  while (parent.children.length > items.length) parent.lastChild.remove()
  while (parent.children.length < items.length) parent.append(make())
  items.forEach((item, index) => fill(parent.children[index], item, index))
}

function newGroup() {
  const group = element("span", "glass-group")
  group.append(element("span", "glass-chips"), element("bdi", "glass-whole"))
  return group
}

function fillGroup(strip, node, tokens) {
  const [chips, whole] = node.children
  const [first] = tokens
  const shown = tokens.length > 1 && first.kind !== "word" ? first.group_text ?? "" : ""
  chips.classList.toggle("glass-joined", tokens.length > 1)
  whole.textContent = shown
  whole.hidden = !shown
  whole.style.display = shown ? "" : "none"
  reconcile(chips, tokens, newChip, (chip, token, part) => fillChip(strip, chip, token, part, tokens.length))
}

function newChip() {
  const chip = element("button", "")
  chip.type = "button"
  const line = element("span", "glass-line")
  line.append(element("span", "glass-small"), element("bdi", "glass-text"))
  const id = element("span", "glass-small")
  id.style.display = "block"
  chip.append(line, id)
  return chip
}

function fillChip({ data }, chip, token, part, parts) {
  const { picked, second, words } = data
  const roles = [token.index === picked && "q", token.index === second && "k"].filter(Boolean)
  const [line, id] = chip.children
  const shade = token.shade ?? 0
  chip.className = token.kind ?? "word"
  chip.classList.toggle("picked", token.index === picked)
  chip.classList.toggle("second", token.index === second)
  chip.classList.toggle("shaded", shade > 0.15)
  chip.style.setProperty("--shade", shade)
  chip.dataset.index = token.index
  chip.title = token.title ?? ""
  chip.setAttribute("aria-pressed", String(token.index === picked))
  chip.setAttribute("aria-label", spoken(token, part, parts, roles, words))
  line.children[0].textContent = [token.index, ...roles].join(" ")
  line.children[1].textContent = token.text
  id.textContent = token.id
}

function spoken(token, part, parts, roles, words) {
  const filled = (pattern, values) => pattern.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole)
  const said = [filled(words.token, token)]
  if (parts > 1 && token.group_text) said.push(filled(words.part, { part: part + 1, parts, whole: token.group_text }))
  if (roles.includes("q")) said.push(words.query)
  if (roles.includes("k")) said.push(words.key)
  return said.join(", ")
}

function element(tag, name) {
  const node = document.createElement(tag)
  node.className = name
  return node
}

// One chip is the Tab stop of the whole strip: the focused one, else the picked one, else the first.
function stops(strip, focused = null) {
  const chips = all(strip)
  const held = focused ?? chips.find((chip) => chip === document.activeElement)
  const stop = held ?? chips[strip.data.picked ?? 0] ?? chips[0]
  for (const chip of chips) chip.tabIndex = chip === stop ? 0 : -1
}

const all = (strip) => [...strip.bar.querySelectorAll("button")]

function press(strip, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
  const chips = all(strip)
  const here = chips.indexOf(event.target.closest("button"))
  const next = target(chips, here, event.key)
  if (event.key === "Escape") chips[here]?.blur()
  else if (next) next.focus()
  else if (event.key !== "Enter" && event.key !== " ") return
  if (event.key !== "Enter" && event.key !== " ") event.preventDefault() // those two press the button
  event.stopPropagation() // the arrows are the strip's while it has the focus, not the page's stepping keys
}

function target(chips, here, key) {
  if (key === "ArrowLeft") return chips[Math.max(here - 1, 0)]
  if (key === "ArrowRight") return chips[Math.min(here + 1, chips.length - 1)]
  if (key === "Home") return chips[0]
  if (key === "End") return chips.at(-1)
  if (key === "ArrowUp" || key === "ArrowDown") return neighbour(chips, chips[here], key === "ArrowDown" ? 1 : -1)
  return null
}

// The chip of the next line (down: 1, up: -1) that stands nearest; the chip itself on the last line.
function neighbour(chips, chip, down) {
  const from = chip.getBoundingClientRect()
  const middle = from.left + from.width / 2
  const lines = chips.map((other) => [other, other.getBoundingClientRect()])
  const beyond = lines.filter(([, box]) => (box.top - from.top) * down > from.height / 2)
  if (!beyond.length) return chip
  const line = beyond.reduce((best, [, box]) => ((box.top - best) * down < 0 ? box.top : best), beyond[0][1].top)
  const near = beyond.filter(([, box]) => Math.abs(box.top - line) < from.height / 2)
  const distance = ([, box]) => Math.abs(box.left + box.width / 2 - middle)
  return near.sort((one, other) => distance(one) - distance(other))[0][0]
}

// Scrolls the strip, never the page, until the picked chip is seen.
function reveal({ bar, data }) {
  const chip = bar.querySelectorAll("button")[data.picked ?? -1]
  if (!chip) return
  const box = chip.getBoundingClientRect()
  const window = bar.getBoundingClientRect()
  if (box.top < window.top) bar.scrollTop += box.top - window.top - 6
  if (box.bottom > window.bottom) bar.scrollTop += box.bottom - window.bottom + 6
}
