import "./pictures.css";
import { type ReactNode, useEffect, useRef, useState } from "react";

/** A picture, and the file that this browser has chosen for it. */
export function Picture({ caption, children }: { caption: string; children: ReactNode }) {
  const figure = useRef<HTMLElement>(null);
  const [chosen, setChosen] = useState("");
  useEffect(() => {
    const image = figure.current?.querySelector("img");
    if (!image) return;
    const read = (): void => setChosen(describe(image));
    if (image.complete) read();
    image.addEventListener("load", read);
    return () => image.removeEventListener("load", read);
  }, []);
  return (
    <figure className="picture" ref={figure}>
      {children}
      <figcaption>
        {caption}
        <output>{chosen}</output>
      </figcaption>
    </figure>
  );
}

function describe(image: HTMLImageElement): string {
  const { currentSrc } = image;
  const [file] = performance.getEntriesByName(currentSrc);
  const bytes = file instanceof PerformanceResourceTiming ? file.encodedBodySize : 0;
  const format = currentSrc.slice(currentSrc.lastIndexOf(".") + 1).toUpperCase();
  const shown = Math.round(image.getBoundingClientRect().width);
  return `${format}, ${widthOf(image)} pixels for ${shown} on the page, ${(bytes / 1000).toFixed(1)} kB`;
}

/** Of the chosen file: `naturalWidth` is corrected by the density that the browser has chosen it for. */
function widthOf({ currentSrc, parentElement, naturalWidth }: HTMLImageElement): number {
  for (const source of parentElement?.querySelectorAll("source, img") ?? [])
    for (const candidate of (source.getAttribute("srcset") ?? "").split(",")) {
      const [address = "", width = ""] = candidate.trim().split(" ");
      if (new URL(address, location.href).href === currentSrc) return Number.parseInt(width, 10);
    }
  return naturalWidth;
}

/** How far this page has moved by itself since it was opened: the browser's layout shift. */
export function Moved() {
  const [shift, setShift] = useState(0);
  useEffect(() => {
    if (!PerformanceObserver.supportedEntryTypes.includes("layout-shift")) return;
    const shifts = new PerformanceObserver((list) => setShift((known) => known + sumOf(list.getEntries())));
    shifts.observe({ type: "layout-shift", buffered: true });
    return () => shifts.disconnect();
  }, []);
  return (
    <p className="card">
      This page has moved by itself, while pictures arrived: <strong>{shift.toFixed(3)}</strong>
    </p>
  );
}

/** Without what follows an input of the visitor, as Cumulative Layout Shift counts. */
function sumOf(entries: readonly PerformanceEntry[]): number {
  const shifts = entries as readonly (PerformanceEntry & { value?: number; hadRecentInput?: boolean })[];
  return shifts.reduce((sum, { value = 0, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0);
}
