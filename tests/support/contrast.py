"""How well a page's texts can be read: their contrast as WCAG 2 counts it, worked out by the browser."""

from typing import Any

from playwright.sync_api import Page

# Every visible piece of text with its contrast to what lies behind it. Colours are painted on a canvas, since
# only the browser knows what it makes of oklch(), color-mix() and light-dark().
_MEASURE = """
() => {
  const canvas = Object.assign(document.createElement("canvas"), {width: 1, height: 1});
  const pen = canvas.getContext("2d", {willReadFrequently: true});
  const paint = (colours) => {
    pen.clearRect(0, 0, 1, 1);
    for (const colour of colours) { pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1); }
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const luminance = ([r, g, b]) => {
    const parts = [r, g, b].map((part) => part / 255);
    const [x, y, z] = parts.map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) {
      layers.unshift(getComputedStyle(one).backgroundColor);
    }
    return layers;
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim();
    const element = walker.currentNode.parentElement;
    const isSeen = element.checkVisibility({visibilityProperty: true, opacityProperty: true});
    if (!isSeen || !/[\\p{L}\\p{N}]/u.test(text)) continue;
    if (element.closest(".only-read, .skip, noscript, button:disabled")) continue;
    const layers = behind(element);
    const both = [paint(layers), paint([...layers, getComputedStyle(element).color])].map(luminance);
    const contrast = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
    found.push({text: text.slice(0, 40), where: element.className || element.localName, contrast});
  }
  return found;
}
"""


def measure_contrasts(page: Page) -> list[dict[str, Any]]:
    """Text, where it stands and its contrast, for every visible piece of text."""
    measured: list[dict[str, Any]] = page.evaluate(_MEASURE)
    return measured
