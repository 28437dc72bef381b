/** Types that browsers show without running anything. SVG and HTML may contain scripts and are never among them. */
const pictures = [
  { type: "image/png", begins: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: "image/jpeg", begins: [0xff, 0xd8, 0xff] },
  { type: "image/gif", begins: [0x47, 0x49, 0x46, 0x38] },
] as const;

/** A larger picture is downloaded and not previewed. */
const previewBytes = 4_200_000;

/** Whether a preview is worth a try. What a client says of a file decides only this; its bytes decide the type. */
export function mayBePicture(contentType: string | undefined, size: number | undefined): boolean {
  const isPicture = pictures.some(
    ({ type }) => type === contentType || (contentType === "image/jpg" && type === "image/jpeg"),
  );
  return isPicture && size !== undefined && size > 0 && size <= previewBytes;
}

/**
 * Headers of a file that a stranger may have made: always a download, never a document or script of the console, in no
 * cache. Only the bytes of a picture give it a type, for `<img>`, which shows downloads too.
 */
export function downloadHeaders(filename: string, bytes: Uint8Array): Record<string, string> {
  return {
    "Content-Type": pictureType(bytes) ?? "application/octet-stream",
    "Content-Disposition": disposition(filename),
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, no-store",
  };
}

function pictureType(bytes: Uint8Array): string | undefined {
  return pictures.find(({ begins }) => begins.every((byte, index) => bytes[index] === byte))?.type;
}

const longestName = 150;

/** With a plain name for old programs, and the whole one by RFC 8187. */
function disposition(filename: string): string {
  const name = filename.slice(0, longestName).toWellFormed();
  const plain = name.replace(/[^\w. -]/g, "_");
  const encoded = encodeURIComponent(name).replace(/['()*!]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
