/**
 * A page with the official client for browsers: /cart?dsn=DSN. It is loaded and traced, is clicked on, fails twice
 * uncaught, sends a message, and its visitor sends feedback.
 */
import * as Sentry from "sentry-browser-11";

Sentry.init({
  dsn: new URLSearchParams(location.search).get("dsn") ?? "",
  release: "shop@1.4.2",
  environment: "production",
  tracesSampleRate: 1,
  integrations: [Sentry.browserTracingIntegration()],
});
Sentry.setUser({ id: "4711" });
Sentry.setTag("client", "sentry-browser-11");

document.querySelector("button")?.addEventListener("click", () => {
  Sentry.addBreadcrumb({ category: "cart", message: "put a book into the cart" });
  const eventId = Sentry.captureMessage("greetings from a page", "warning");
  Sentry.captureFeedback({
    message: "The cart lost my book.",
    name: "Jo",
    email: "jo@shop.test",
    associatedEventId: eventId,
  });
  setTimeout(function payForCart() {
    throw new TypeError("the cart is empty", { cause: new RangeError("no items") });
  });
  // Delayed: right after an error, the client treats any other as the same.
  setTimeout(() => Promise.reject(new Error("the shop does not answer")), 200);
});
