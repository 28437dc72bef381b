import type { RunningApp } from "../../kit/running-app.ts";

/** Uses a form of the console, like a browser without JavaScript. Resolves with the page that follows. */
export async function postForm(app: RunningApp, path: string, fields: Record<string, string>): Promise<string> {
  const answer = await fetch(`${app.url}/_holdfast/1${path}`, {
    method: "POST",
    headers: { Origin: app.url },
    body: new URLSearchParams(fields),
    redirect: "manual",
  });
  // 422: what was given does not fit, and the page says why.
  if (answer.status >= 400 && answer.status !== 422) throw new Error(`${path} was answered with ${answer.status}.`);
  const next = answer.headers.get("location");
  if (next === null) return answer.text();
  // The result of the form travels in a cookie.
  const cookie = answer.headers.getSetCookie().map((line) => line.split(";")[0]);
  return (await fetch(new URL(next, app.url), { headers: { Cookie: cookie.join("; ") } })).text();
}
