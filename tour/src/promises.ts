/** Promises on the home page. Each one can be tried at the page it links to. */
export const promises = [
  {
    title: "Pages that need no scripts",
    text: "Rendered on the server, streamed, hydrated. Links are links and forms post, so a page is usable from its first byte and stays so when JavaScript never arrives.",
    to: "/try/form",
    link: "Send a form without JavaScript",
  },
  {
    title: "Navigation that always ends",
    text: "Data that does not come becomes a full page load. A lost connection becomes a page that waits and resumes. A deploy in between goes unnoticed.",
    to: "/try/faults",
    link: "Break a navigation",
  },
  {
    title: "Errors that can be found",
    text: "When something breaks, anywhere, the visitor sees a code and ways out; you get that very occurrence, in the Sentry protocol.",
    to: "/try/break/render",
    link: "Break a page",
  },
  {
    title: "Server code that stays there",
    text: "Four guards keep server files, server packages and secrets out of the browser, each naming the chain of imports that would have let them through.",
    to: "/try/leaks",
    link: "Search for a leak",
  },
  {
    title: "Types from file to link",
    text: "Parameters, data, actions and addresses are typed by one generated file. A link to a page that is not there does not compile.",
    to: "/docs/pages-and-routes",
    link: "Read how",
  },
  {
    title: "Ready to be run",
    text: "Health and readiness, security headers, a content policy with nonces, compression, graceful shutdown: there without a line of configuration.",
    to: "/docs/deployment",
    link: "Deploy it",
  },
] as const;

export const ends = [
  { name: "committed", says: "The page is shown, and only then the address changes." },
  { name: "redirected", says: "The server answered with another page of this application." },
  { name: "superseded", says: "A newer click took its place; the older request is aborted." },
  { name: "cancelled", says: "The visitor pressed Escape." },
  { name: "handed over", says: "Something was missing or late, so the browser loads the page in full." },
  { name: "held", says: "The connection is lost; the page says so, and resumes when it is back." },
  { name: "failed", says: "The error page, with a digest and ways out." },
] as const;

/** Fixed by the product's specification; src/pages/limits.ts has the same numbers. */
export const specified = [
  {
    value: "3,800",
    unit: "ms",
    says: "until loading a route gives way to a full page load",
    to: "/try/faults",
  },
  { value: "30", unit: "s", says: "a prefetched page is shown without asking again", to: "/try/prefetch" },
  { value: "300", unit: "s", says: "until a prefetched page counts as never fetched", to: "/try/prefetch" },
  { value: "5", unit: "at once", says: "prefetches at the same time, never more", to: "/try/prefetch" },
] as const;
