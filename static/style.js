// Puts an element's style sheet into the page, once, before its first drawing.

const version = new URL(import.meta.url).search

export async function adopt(name) {
  const id = `glass-style-${name}`
  const answer = await fetch(new URL(`./${name}.css${version}`, import.meta.url))
  if (!answer.ok) throw new Error(`${name}.css`)
  const rules = await answer.text()
  if (document.getElementById(id)) return
  const style = document.createElement("style")
  style.id = id
  style.textContent = rules
  document.head.append(style)
}
