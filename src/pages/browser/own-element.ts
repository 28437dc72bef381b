/**
 * Our own elements beside the application's: announcer, pending bar, connection bar. They hang on the root element,
 * outside of what React renders, and come back by themselves should anything have removed them.
 */
export function ownElement(name: string, make: (element: HTMLElement) => void): HTMLElement {
  const id = `holdfast-${name}`;
  const known = document.getElementById(id);
  if (known) return known;
  const element = document.createElement("div");
  element.id = id;
  make(element);
  document.documentElement.append(element);
  return element;
}

export function removeOverlay(name: string): void {
  document.getElementById(`holdfast-${name}`)?.remove();
}
