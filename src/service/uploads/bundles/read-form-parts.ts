/** One part of a form. */
export interface FormPart {
  readonly name: string;
  readonly filename: string | undefined;
  readonly content: Buffer;
}

/** Reads the parts of a form with files. Returns undefined if the body is not such a form or has too many parts. */
export function readFormParts(body: Buffer, contentType: string, mostParts: number): FormPart[] | undefined {
  const boundary = /^multipart\/form-data\s*;(?:[^"]*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(
    contentType,
  );
  const text = boundary?.[1] ?? boundary?.[2];
  if (text === undefined) return undefined;
  const separator = Buffer.from(`\r\n--${text}`, "latin1");
  const first = separator.subarray(2);
  if (!body.subarray(0, first.length).equals(first)) return undefined;
  const parts: FormPart[] = [];
  let from = first.length;
  for (;;) {
    const mark = body.toString("latin1", from, from + 2);
    if (mark === "--") return parts;
    const end = body.indexOf(separator, from);
    if (mark !== "\r\n" || end < 0 || parts.length >= mostParts) return undefined;
    const part = readPart(body.subarray(from + 2, end));
    if (part === undefined) return undefined;
    parts.push(part);
    from = end + separator.length;
  }
}

function readPart(bytes: Buffer): FormPart | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const headers = bytes.toString("latin1", 0, end);
  const name = /^content-disposition:[^\r\n]*;\s*name="([^"\r\n]*)"/im.exec(headers)?.[1];
  const filename = /^content-disposition:[^\r\n]*;\s*filename="([^"\r\n]*)"/im.exec(headers)?.[1];
  return name === undefined ? undefined : { name, filename, content: bytes.subarray(end + 4) };
}
