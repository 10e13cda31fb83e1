// Every visible text with its contrast to the background.
() => {
  const channel = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parse = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r / 255, g / 255, b / 255, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const lightness = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const grounds = new Map();
  const ground = (element) => {
    if (!element) return [1, 1, 1, 1];
    if (!grounds.has(element)) {
      grounds.set(element, over(parse(getComputedStyle(element).backgroundColor), ground(element.parentElement)));
    }
    return grounds.get(element);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const element = walker.currentNode.parentElement;
    if (!text || !element.checkVisibility() || element.closest(".hidden, .skip, script, style, option")) continue;
    const style = getComputedStyle(element);
    const below = ground(element);
    const ink = parse(element instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [lightness(over(ink, below)), lightness(below)].sort((x, y) => y - x);
    found.push([text.slice(0, 40), (a + 0.05) / (b + 0.05)]);
  }
  return found;
}
