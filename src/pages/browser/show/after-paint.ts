/** Longer than a frame of a busy page. A window that nobody sees may have no frames at all. */
const noFrameMs = 100;

/**
 * Runs this once the browser has painted what has just changed, so that nothing it does delays that. Returns a function
 * that prevents it.
 */
export function afterPaint(run: () => void): () => void {
  const later = setTimeout(run, noFrameMs);
  let next: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    clearTimeout(later);
    // Callbacks of a frame run before its layout and paint, a timer after them.
    next = setTimeout(run);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(later);
    clearTimeout(next);
  };
}
