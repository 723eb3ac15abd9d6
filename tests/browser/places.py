"""Where things lie on a page: a place in a chart, and what sticks out of the window."""

from playwright.sync_api import Page

# What is on the right of the window, though none of it may be; formulas and tables scroll in a box of their own.
STICKING = """() => [...document.querySelectorAll(".stMain :not(svg *)")].filter((node) => {
  const box = node.getBoundingClientRect()
  return box.width && box.right > window.innerWidth + 1 && !node.closest(".katex, table")
}).map((node) => node.outerHTML.slice(0, 120))"""
SPOT = """([chart, x, y, [across, down], scroll]) => {
  const plot = document.querySelector(`.st-key-${chart} .js-plotly-plot`)
  if (scroll) plot.scrollIntoView({ block: "center" })
  const { [across]: xaxis, [down]: yaxis } = plot._fullLayout
  const box = plot.getBoundingClientRect()
  return [box.left + xaxis._offset + xaxis.d2p(x), box.top + yaxis._offset + yaxis.d2p(y)]
}"""


def spot(
    tab: Page,
    chart: str,
    x: float,
    y: float,
    axes: tuple[str, str] = ("xaxis", "yaxis"),
    scroll: bool = False,
) -> tuple[float, float]:
    """Where the values (x, y) of a chart's axes lie in the window, in pixels; `scroll` brings the chart into view."""
    left, top = tab.evaluate(SPOT, [chart, x, y, axes, scroll])
    return left, top
