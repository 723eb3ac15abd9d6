// Keys for a presenter, heard anywhere on the page: forward and back among numbered steps, however fast they come.
// Python's side is ui/keys.py. Who types, walks in a chart or reads a dialog keeps all keys.

const MOVES = { ArrowRight: 1, " ": 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 }
const TYPING = "input, textarea, select, [contenteditable='true'], [role='combobox'], [role='listbox'], [role='slider']"
const PRESSABLE = "button, a, summary, label, [role='button'], [role='radio'], [role='checkbox'], [role='tab']"
const CHOOSING = "[role='radiogroup'], [role='tablist'], [role='toolbar'], [role='menu']" // walked by the arrows
const PATIENCE = 1500 // milliseconds in which the server's answers may lag behind the keys

const steppers = new WeakMap() // the element's root -> its stepper

export function draw({ data, parentElement, setTriggerValue }) {
  const stepper = steppers.get(parentElement) ?? open(parentElement)
  stepper.data = data
  stepper.report = (step) => setTriggerValue("step", step)
  if (stepper.target === data.at) stepper.target = null
  parentElement.querySelector("figure").dataset.at = data.at // from now on the keys count from here
}

export function remove(parentElement) {
  const { listener } = steppers.get(parentElement) ?? {}
  document.removeEventListener("keydown", listener)
  document.removeEventListener("keydown", listener, true)
  steppers.delete(parentElement)
}

// Bubbling, so that a focused chart may stop a key; capturing for keys within the stepper's own controls.
function open(parentElement) {
  const stepper = { target: null, pressed: -Infinity }
  stepper.listener = (event) => press(stepper, event)
  document.addEventListener("keydown", stepper.listener)
  document.addEventListener("keydown", stepper.listener, true)
  steppers.set(parentElement, stepper)
  return stepper
}

function press(stepper, event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
  const { data } = stepper
  const near = document.querySelector(`.st-key-${CSS.escape(data.near)}`)
  const within = near?.contains(event.target)
  if (!(event.key in MOVES) || !near || within !== (event.eventPhase === Event.CAPTURING_PHASE)) return
  if (kept(event, within) || !inSight(near)) return // then the key is the reader's, or the browser's: it scrolls
  const awaited = performance.now() - stepper.pressed < PATIENCE ? stepper.target : null
  const here = awaited ?? data.at
  const next = Math.max(1, Math.min(here + MOVES[event.key], data.last))
  if (next === here) return
  event.preventDefault()
  event.stopPropagation()
  stepper.target = next
  stepper.pressed = performance.now()
  stepper.report(next) // the step itself and not "one more": of answers that overtake each other the last one counts
}

// Whether the key belongs to what has the focus: text is typed there, Space presses it, the arrows choose in it.
function kept({ key, target }, within) {
  if (!(target instanceof Element)) return false
  if (target.closest(TYPING) || document.querySelector("[role='dialog']")) return true
  if (key === " ") return Boolean(target.closest(PRESSABLE))
  return key.startsWith("Arrow") && !within && Boolean(target.closest(CHOOSING))
}

function inSight(node) {
  const { top, bottom } = node.getBoundingClientRect()
  return bottom > 0 && top < window.innerHeight
}
