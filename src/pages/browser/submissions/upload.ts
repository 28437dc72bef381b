export interface UploadRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: FormData;
  readonly signal: AbortSignal;
}

export interface UploadMeter {
  /** Share of a large body that has left, from 0 to 1. */
  progress?: number | undefined;
}

/**
 * Sends a large form and says how much of it has left. Like `fetch`, which does not report that:
 * resolves when the head of the response has arrived, and its body is a stream.
 */
export function upload(
  url: URL,
  { headers, body, signal }: UploadRequest,
  meter: UploadMeter,
  emit: (event: { kind: "alive" }) => void,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const request = new XMLHttpRequest();
  const encoder = new TextEncoder();
  let read = 0;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const take = (): void => {
        if (request.responseText.length > read) controller.enqueue(encoder.encode(request.responseText.slice(read)));
        read = request.responseText.length;
      };
      request.onprogress = take;
      request.onload = () => {
        take();
        controller.close();
      };
      request.onerror = request.onabort = () => {
        const error = new TypeError("The upload has failed.");
        controller.error(error);
        reject(error);
      };
    },
  });
  // In steps of a hundredth: more would only render the form more often.
  request.upload.onprogress = ({ loaded, total }) => {
    meter.progress = Math.floor((loaded / total) * 100) / 100;
    emit({ kind: "alive" });
  };
  request.onreadystatechange = () => {
    if (request.readyState !== request.HEADERS_RECEIVED) return;
    const type = request.getResponseHeader("content-type") ?? "";
    // Others than page data are judged by their type alone, and some statuses must not have a body.
    resolve(new Response(stream, { headers: { "content-type": type } }));
  };
  request.open("POST", url);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  signal.addEventListener("abort", () => request.abort());
  // The code of this module may have come too late.
  if (signal.aborted) reject(signal.reason);
  else request.send(body);
  return promise;
}
