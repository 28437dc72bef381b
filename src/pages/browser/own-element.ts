/**
 * Returns one of the framework's own elements: announcer, pending bar, connection bar. They are children of the root
 * element, outside of what React renders, and are created again if something has removed them.
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
