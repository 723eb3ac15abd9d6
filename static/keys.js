// Keys for a presenter: a key pressed anywhere on the page presses a button of the page, if that button is in sight.
// Python's side is ui/keys.py. Whoever types, chooses in a list or reads a dialog keeps all keys.

const TYPING = "input, textarea, select, [contenteditable='true'], [role='combobox'], [role='listbox'], [role='slider']"
const PRESSABLE = "button, a, summary, label, [role='button'], [role='radio'], [role='checkbox'], [role='tab']"
const listening = new WeakMap() // the element's root -> its listener

export function draw({ data, parentElement }) {
  remove(parentElement)
  const listener = (event) => press(event, data.buttons)
  document.addEventListener("keydown", listener)
  listening.set(parentElement, listener)
}

export function remove(parentElement) {
  document.removeEventListener("keydown", listening.get(parentElement))
  listening.delete(parentElement)
}

function press(event, buttons) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
  if (!(event.key in buttons) || kept(event)) return
  const button = document.querySelector(`.st-key-${CSS.escape(buttons[event.key])} button`)
  if (!button || button.disabled || !inSight(button)) return // then the key is the browser's: it scrolls
  event.preventDefault()
  button.click()
}

// The key belongs to what has the focus: text is typed there, or Space presses it.
function kept({ key, target }) {
  if (!(target instanceof Element)) return false
  if (target.closest(TYPING) || document.querySelector("[role='dialog']")) return true
  return key === " " && Boolean(target.closest(PRESSABLE))
}

function inSight(button) {
  const { top, bottom } = button.getBoundingClientRect()
  return bottom > 0 && top < window.innerHeight
}
