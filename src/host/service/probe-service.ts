import { envelopeUrl, readDsn } from "#protocol";

/** Whether the service accepts reports. */
export type ServiceProbe = { kind: "open"; host: string } | { kind: "closed"; why: string };

/** Sends an empty envelope to the service of a DSN: it checks the key and stores nothing. */
export async function probeService(text: string, withinMs: number): Promise<ServiceProbe> {
  const dsn = readDsn(text);
  if (!dsn) return { kind: "closed", why: "report.dsn is no DSN such as https://KEY@errors.example/1" };
  const url = new URL(envelopeUrl(dsn));
  try {
    const answer = await fetch(url, {
      method: "POST",
      body: "{}\n",
      headers: {
        "Content-Type": "application/x-sentry-envelope",
        "X-Sentry-Auth": `Sentry sentry_version=7, sentry_client=holdfast/1, sentry_key=${dsn.publicKey}`,
      },
      signal: AbortSignal.timeout(withinMs),
    });
    if (answer.ok) return { kind: "open", host: url.host };
    if (answer.status === 401 || answer.status === 403)
      return { kind: "closed", why: `${url.host} does not know the key of report.dsn (${answer.status})` };
    return { kind: "closed", why: `${url.host} answered ${answer.status}` };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    return { kind: "closed", why: `${url.host} cannot be reached: ${cause}` };
  }
}
