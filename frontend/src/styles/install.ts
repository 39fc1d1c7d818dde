/** Adds style sheets without a `<style>` element or a request, which the strictest content policies allow. */
const installed = new Set<string>();

export function installStyles(css: string): void {
  if (installed.has(css)) return;
  installed.add(css);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
