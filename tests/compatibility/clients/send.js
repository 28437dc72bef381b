/**
 * A small application with an official client: node send.js CLIENT DSN. It fails once with a cause, sends a message,
 * does some traced work, and ends when the client has sent everything.
 */
const [client, dsn] = process.argv.slice(2);
const Sentry = await import(String(client));

Sentry.init({ dsn, release: "shop@1.4.2", environment: "production", tracesSampleRate: 1 });
Sentry.setUser({ id: "4711" });
Sentry.setTag("client", client);
Sentry.addBreadcrumb({ category: "cart", message: "put a book into the cart" });

try {
  payForCart();
} catch (error) {
  Sentry.captureException(error);
}
Sentry.captureMessage(`greetings from ${client}`, "warning");
if (typeof Sentry.startTransaction === "function") {
  const transaction = Sentry.startTransaction({ name: "/checkout", op: "task" });
  transaction.startChild({ op: "db", description: "SELECT cart" }).end();
  transaction.end();
} else {
  Sentry.startSpan({ name: "/checkout", op: "task", forceTransaction: true }, () =>
    Sentry.startSpan({ name: "SELECT cart", op: "db" }, () => undefined),
  );
}
if (!(await Sentry.close(10_000))) process.exitCode = 1;

function payForCart() {
  throw new TypeError(`the cart of ${client} is empty`, { cause: new RangeError("no items") });
}
