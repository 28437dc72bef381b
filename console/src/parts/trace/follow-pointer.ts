import { navigate } from "holdfast";
import { milliseconds } from "../charts/numbers.ts";

/** A shorter movement is a click, which shows the whole trace again. */
const shortestPx = 4;
/** A grip is this near to the edge of the frame. */
const gripPx = 8;

/**
 * Shows the time under the pointer, and lets it draw a frame on the small picture of the trace.
 */
export function followPointer(section: HTMLElement): void {
  const guide = section.appendChild(document.createElement("output"));
  guide.className = "time-guide";
  guide.hidden = true;
  section.addEventListener("pointermove", (event) => showTime(section, guide, event));
  section.addEventListener("pointerleave", () => {
    guide.hidden = true;
  });
  const map = section.querySelector<HTMLElement>(".map");
  map?.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    drawFrame(section, map, event);
  });
}

function numbersOf({ dataset }: HTMLElement): { fromMs: number; lastsMs: number; wholeMs: number } {
  return { fromMs: Number(dataset.from), lastsMs: Number(dataset.lasts), wholeMs: Number(dataset.whole) };
}

function showTime(section: HTMLElement, guide: HTMLElement, { clientX, clientY, pointerType }: PointerEvent): void {
  const map = section.querySelector(".map")?.getBoundingClientRect();
  const isOnMap = map !== undefined && clientY < map.bottom;
  const lane = isOnMap ? map : section.querySelector(".axis")?.getBoundingClientRect();
  const { fromMs, lastsMs, wholeMs } = numbersOf(section);
  const share = lane ? (clientX - lane.left) / lane.width : -1;
  guide.hidden = pointerType === "touch" || share < 0 || share > 1;
  if (guide.hidden) return;
  guide.style.left = `${clientX - section.getBoundingClientRect().left}px`;
  guide.textContent = milliseconds(isOnMap ? share * wholeMs : fromMs + share * lastsMs);
  guide.classList.toggle("to-left", share > 0.85);
}

/** From the pressed place, or from the opposite edge if a grip of the frame was pressed. */
function drawFrame(section: HTMLElement, map: HTMLElement, pressed: PointerEvent): void {
  const frame = map.querySelector<HTMLElement>(".frame-of-axis");
  if (!frame) return;
  const { left, width } = map.getBoundingClientRect();
  const edges = frame.getBoundingClientRect();
  const before = frame.style.cssText;
  const near = (x: number): boolean => Math.abs(pressed.clientX - x) <= gripPx;
  const fixed = near(edges.left) ? edges.right : near(edges.right) ? edges.left : pressed.clientX;
  const share = (x: number): number => Math.min(1, Math.max(0, (x - left) / width));
  const stop = new AbortController();
  const moved = ({ clientX }: PointerEvent): void => {
    const [from, to] = [fixed, clientX].map(share).sort((a, b) => a - b);
    frame.style.left = `${(from ?? 0) * 100}%`;
    frame.style.width = `${((to ?? 1) - (from ?? 0)) * 100}%`;
  };
  map.setPointerCapture(pressed.pointerId);
  map.addEventListener("pointermove", moved, stop);
  map.addEventListener(
    "pointerup",
    ({ clientX }) => {
      stop.abort();
      const { wholeMs } = numbersOf(section);
      const [from = 0, to = 0] = [fixed, clientX].map((x) => share(x) * wholeMs).sort((a, b) => a - b);
      const isClick = Math.abs(clientX - fixed) < shortestPx;
      if (isClick) frame.style.cssText = before;
      showRange(isClick || to - from >= wholeMs ? undefined : `${from.toFixed(3)}-${to.toFixed(3)}`);
    },
    stop,
  );
  map.addEventListener("pointercancel", () => stop.abort(), stop);
}

function showRange(range: string | undefined): void {
  const params = new URLSearchParams(location.search);
  if (range === undefined) params.delete("range");
  else params.set("range", range);
  const to: string = location.pathname + (params.size > 0 ? `?${params}` : "");
  void navigate(to, undefined, { replace: true, keepScroll: true });
}
