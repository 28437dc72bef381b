/** All experiments, in the recommended order. The layout of `/try` shows an experiment's texts around its page. */
export interface Experiment {
  path: string;
  title: string;
  /** The rule, in two sentences. */
  rule: string;
  /** What to do and what to expect. */
  see: string;
  /** The guide that explains it. */
  guide: string;
  /** Route by its file name, if it has parameters. */
  route?: string;
  /** Other files that belong to it, below `tour/src`. */
  sources?: readonly string[];
}

export interface ExperimentGroup {
  name: string;
  experiments: readonly Experiment[];
}

export const groups: readonly ExperimentGroup[] = [
  {
    name: "Pages",
    experiments: [
      {
        path: "/try/orders/7",
        route: "/try/orders/[id]",
        title: "A page and its data",
        rule: "A file under src/pages is a route, and the .server.ts file beside it loads its data on the server. Dates, maps, sets and big integers arrive in the component as what they were.",
        see: "Go from order to order: one document, one small data request each. Order 10 does not exist, so it is a not-found page with status 404.",
        guide: "data",
      },
      {
        path: "/try/form",
        title: "A form",
        rule: "A form posts to an action of its page, checked by a schema, with or without JavaScript. What does not fit comes back with status 422, a sentence per field, and everything that was typed.",
        see: "Send it empty, then with a date in the past. Switch JavaScript off and do it again: nothing changes but the flicker.",
        guide: "actions-and-forms",
      },
      {
        path: "/try/invoice",
        title: "Rows in a form",
        rule: "Names of fields lead into objects and lists, and rows come and go, with or without JavaScript. The schema of the action also checks the form before it is sent, in the same words, and a visitor who leaves with something unsent is asked.",
        see: "Send it empty, then add a line and remove the first one: text, message and focus stay with their line. Type something and follow a link.",
        guide: "actions-and-forms",
        sources: ["try/invoice-schema.ts"],
      },
      {
        path: "/try/stars",
        title: "Before the answer",
        rule: "A component has actions in a file of its own. A value may be shown as it will be: it stays when the answer comes, and goes back with a message when the action refuses it. An action says by tags which pages have changed.",
        see: "Choose stars, several times in a row: each choice is shown at once, although the server takes a second, and the last one stays. Then choose zero, which the server refuses.",
        guide: "actions-and-forms",
        sources: ["try/stars.tsx", "try/stars.actions.server.ts"],
      },
      {
        path: "/try/pictures",
        title: "Pictures",
        rule: "The build knows the size of each picture and makes it in several widths, as AVIF and as WebP. Its place is kept from the first byte on, with a few blurred pixels in it, so nothing moves when it arrives.",
        see: "Read which file your browser has chosen, make the window narrow and reload. Slow the connection down in the developer tools and watch the page not move.",
        guide: "images-and-fonts",
        sources: ["try/chosen-files.tsx"],
      },
      {
        path: "/try/upload",
        title: "An upload",
        rule: "A file streams to disk, or to the application's own store, while it arrives: it never fills memory. The form knows which share has been sent.",
        see: "Send a file, or 20 MB of zeros, and watch it go. This server reads slowly on purpose, and keeps only the checksum.",
        guide: "actions-and-forms",
      },
      {
        path: "/try/kept",
        title: "A form that is kept",
        rule: "What is sent to an action with keeps is on the disk, encrypted, before the action runs. If the action fails, takes too long or loses its process, the visitor reads a code, and an operator runs it again after the fix: once.",
        see: "Break the payment provider, order a lamp and read the code. Mend the provider and run the order with the command that the page shows: it is among the latest orders. Then cut your connection, order, and close the tab. With the connection back, any page of the tour sends the order, once, and says so.",
        guide: "actions-and-forms",
        sources: ["server/lamp-orders.ts"],
      },
      {
        path: "/try/guarded",
        title: "A guarded page",
        rule: "A guard runs before everything else of its page or folder, for document, data, prefetch and action alike. The session is a signed cookie: your browser can read it, nobody can change it.",
        see: "You are sent to the sign-in page and come back here afterwards. Any name is good.",
        guide: "guards-and-sessions",
      },
      {
        path: "/try/deferred",
        title: "Data that arrives later",
        rule: "Promises inside the data are streamed: the page is shown at once, and each part when it is there. This holds for the first document and for every navigation after it.",
        see: "The summary is there at once; the history follows after one second, the forecast after two.",
        guide: "data",
      },
      {
        path: "/try/wire",
        title: "What travels",
        rule: "A data answer is a stream of lines: at once a preamble, a heartbeat each second while data is loading, then the data, then what comes later. A cut answer is known by its missing last line.",
        see: "Fetch the data of a slow page with late parts, and watch the lines arrive.",
        guide: "data",
      },
      {
        path: "/try/addresses",
        title: "One spelling",
        rule: "An address is decoded once and has one spelling: another one is redirected, and one that would change in a second decoding is refused. So no guard ever meets a spelling it does not know.",
        see: "Follow the links and look at the address you arrive at.",
        guide: "pages-and-routes",
      },
      {
        path: "/try/cross-site",
        title: "A form from elsewhere",
        rule: "A post that another site sent is refused by method and headers, before any code of the application runs, while developing too. A page that hides where it is counts as foreign.",
        see: "Send the same booking from three places. Two are refused with 403; the third is understood, and found empty.",
        guide: "security",
      },
      {
        path: "/try/leaks",
        title: "What never leaves the server",
        rule: "Four guards keep server code and secrets out of the browser, in development and in the build alike. Each names the chain of imports that would have let it through.",
        see: "Search everything your browser has loaded for a word that lives in a server file. Or take this tour, import that file from a page, and see what npm start says.",
        guide: "security",
      },
      {
        path: "/try/download",
        title: "A download",
        rule: "A link to an API route is the browser's affair, not a navigation of ours. The page stays as it is, and nothing hangs.",
        see: "The file is saved, and this page stays usable.",
        guide: "api-routes",
      },
      {
        path: "/try/languages",
        sources: [
          "languages/settings.ts",
          "pages/languages/_layout.tsx",
          "pages/languages/index.tsx",
          "pages/languages/index.server.ts",
          "server/ferries.ts",
        ],
        title: "Three languages",
        rule: "One tree of pages answers in several languages: the address says which, links keep it, and search engines learn of all of them. Pages that are not translated have one address.",
        see: "Change the language, go on by the links, and come back with Back: the direction changes too. Switch JavaScript off and do it again.",
        guide: "languages",
      },
    ],
  },
  {
    name: "Live",
    experiments: [
      {
        path: "/try/live",
        sources: ["pages/try/live/room.server.ts", "pages/try/live/feed.server.ts", "server/lamps.ts"],
        title: "A room of lamps",
        rule: "A WebSocket carries messages both ways, with types and a schema, and a channel takes them to every process. Server-sent events bring a feed that goes on where it stopped.",
        see: "Open a second tab and switch lamps: both show it at once. Drop your connection, and switch some while it is away.",
        guide: "live",
      },
    ],
  },
  {
    name: "Navigation",
    experiments: [
      {
        path: "/try/clicks",
        title: "Whose click it is",
        rule: "A plain left click on a link to a page of this application is ours, no matter who wrote the link. Everything else is the browser's, and does what it always did.",
        see: "Follow each link and look at the age of the document: a click that was ours leaves it running.",
        guide: "navigation",
      },
      {
        path: "/try/slow",
        title: "A slow page",
        rule: "A server that is still loading says so with a heartbeat each second, so the click stays in the browser. A bar appears after 150 ms, Escape cancels, and a newer click takes the place of the older.",
        see: "Choose how long the page takes. Anything up to ten seconds is shown; what takes longer becomes an error page.",
        guide: "navigation",
      },
      {
        path: "/try/faults",
        title: "Break a navigation",
        rule: "Where page data cannot be had, the browser falls back to a full page load of the target. A guard against loops counts those that no click asked for: one per address and reason in 30 seconds, and three per tab in a minute.",
        see: "Choose what goes wrong with the next page-data request, then follow the link. You arrive in every case.",
        guide: "navigation",
      },
      {
        path: "/try/offline",
        title: "A lost connection",
        rule: "When the server cannot be reached, the page stays, says so, and resumes the navigation when the connection is back. The visitor never lands on the browser's own offline page through us.",
        see: "Cut the connection, follow a link, and mend it again.",
        guide: "navigation",
      },
      {
        path: "/try/deploy",
        title: "A deploy in between",
        rule: "Each data answer names its build. A click that meets another build becomes a full page load of the target, and the browser files of the last three builds stay available.",
        see: "Pretend that the server was deployed while you were reading, then follow the link.",
        guide: "deployment",
      },
      {
        path: "/try/history",
        title: "Back and forward",
        rule: "Back shows the page you left at once, scrolled to where you were, boxes inside it too. After a click the focus is on the new heading, its title is announced, and the address changes when the page is shown.",
        see: "Scroll the page and the box, follow a link far down, and go back.",
        guide: "navigation",
      },
      {
        path: "/try/dialogs",
        title: "Dialogs with an address",
        rule: "A link may open its page as a dialog over the current one, which stays as it is. Back, Escape and a click beside it close it, Forward opens it again, and a reload, a new tab or a browser without JavaScript shows the whole page.",
        see: "Type something, open an order, then the next one, and go back and forward. Show the addresses, go back: that was a step of the history too. Reload while a dialog is open.",
        guide: "navigation",
      },
      {
        path: "/try/list",
        title: "A long list",
        rule: "A list appends its next pages while you scroll, and Back shows the same rows at the same place. Its order is in the address, and without JavaScript its pages are links.",
        see: "Scroll until some thousand of the 10,000 parts are loaded, open one and go back. Sort by another column, cut the connection while it loads, reload.",
        guide: "data",
        sources: ["try/use-visible-rows.ts"],
      },
      {
        path: "/try/prefetch",
        title: "Prefetching",
        rule: "At most five pages are fetched ahead at the same time, stay fresh for 30 seconds and are forgotten after 300. A click on a page that is on its way joins it: there is one request in all.",
        see: "Move over the links, or let all of them be fetched when they come into view, and watch the five slots.",
        guide: "navigation",
      },
      {
        path: "/try/ahead",
        title: "What is not fetched ahead",
        rule: "A page that could not be fetched ahead is asked for again by the click, and a server that is busy is left alone for as long as it says. After an action, everything fetched before it is forgotten, in every tab.",
        see: "Rest on an item until it is fresh in the panel, then change something: the panel is empty. Or let the server be busy, and rest on the items in vain.",
        guide: "navigation",
      },
    ],
  },
  {
    name: "Errors",
    experiments: [
      {
        path: "/try/not-found",
        title: "A page that is not there",
        rule: "An address that no page answers, and a page whose data is not there, are not-found pages with status 404, as a document and as data alike. The page names the path and the ways out.",
        see: "Follow the links, with the button Back in mind: you stay inside the application.",
        guide: "errors-and-digests",
      },
      {
        path: "/try/break/load",
        title: "An error while loading",
        rule: "What a load throws becomes the nearest error page, with status 500 and the digest of this one occurrence. The layouts around it stand, and the message stays on the server.",
        see: "The frame of this page is untouched; only its inside failed. Try again gives another digest, because it is another occurrence.",
        guide: "errors-and-digests",
      },
      {
        path: "/try/break/value",
        title: "A value that cannot travel",
        rule: "Page data is made of values that arrive as what they were. A class instance, a function or a circle fails on the server, with the path of the value.",
        see: "The visitor sees an error page like any other. In the console the message says which value it was.",
        guide: "data",
      },
      {
        path: "/try/break/render",
        title: "An error while rendering",
        rule: "A component that throws on the server is caught before anything is sent, so the status is still 500. The error is on the disk before the page that shows its digest leaves the server.",
        see: "The same page as for a failed load: a visitor need not know the difference.",
        guide: "errors-and-digests",
      },
      {
        path: "/try/break/late",
        title: "A late error",
        rule: "A promise can fail after the page has been sent, when its status is 200 already. It is shown in its place, with the digest that reaches the browser in the stream, and the rest of the page stays.",
        see: "The page is there at once; after a second one part of it says that it could not be loaded.",
        guide: "errors-and-digests",
      },
      {
        path: "/try/break/action",
        title: "An error in an action",
        rule: "An action that throws answers with the error page and a digest, with or without JavaScript. Nothing is sent a second time by itself.",
        see: "Press the button. Then resolve its issue in the console, close the tab, and visit the tour ten minutes later: a bar leads you back here.",
        guide: "errors-and-digests",
      },
      {
        path: "/try/break/layout",
        title: "An error in a layout",
        rule: "The error file of a folder lies inside its layout, so it cannot stand in for it. The next one further out is shown.",
        see: "The layout of this folder throws; the error page of the folder above catches it.",
        guide: "errors-and-digests",
      },
      {
        path: "/try/break/error-page",
        title: "An error in the error page",
        rule: "If an error page throws, the next one further out is tried, and at the end stands a page that depends on nothing. The digest is that of the first error.",
        see: "The load of this page throws, and so does its error page.",
        guide: "errors-and-digests",
      },
      {
        path: "/try/break/browser",
        title: "An error in the browser",
        rule: "A component that throws in the browser is replaced by the nearest error page, which says that it was a client-side exception. An event handler that throws leaves the page as it is.",
        see: "Press one button, then the other. The second leads to its digest; both are in the console.",
        guide: "errors-and-digests",
      },
      {
        path: "/try/break/promise",
        title: "A rejected promise",
        rule: "A promise that nobody waits for can still be rejected, and so can an event handler throw. The page stays as it is, and the error is reported all the same.",
        see: "Press the button, then look into the console of this application: the error is at the top of the list.",
        guide: "errors-and-digests",
      },
      {
        path: "/try/break/hydration",
        title: "A hydration mismatch",
        rule: "Where the browser renders something else than the server did, React shows the browser's version. Such an error is told apart from others, because the visitor saw a working page.",
        see: "The server and your browser do not agree on who renders this page. What you see is the browser's word.",
        guide: "errors-and-digests",
      },
      {
        path: "/try/break/anything",
        title: "Anything can be thrown",
        rule: "Code throws what it likes: nothing, a text, an object that cannot be read. Each becomes an error page with a digest, and never a second error.",
        see: "Choose what the load of this page throws. The page of the visitor is the same; the console says what it was.",
        guide: "errors-and-digests",
      },
      {
        path: "/try/digest",
        title: "Reading a digest",
        rule: "A digest is the first 60 bits of the event's id, in letters that cannot be mistaken for others. It is read without regard to case, spaces and hyphens, O for 0, I and L for 1.",
        see: "Type a digest as someone would say it over the telephone.",
        guide: "errors-and-digests",
      },
    ],
  },
  {
    name: "Releases",
    experiments: [
      {
        path: "/try/gate",
        title: "A gate before traffic",
        rule: "Before a build takes traffic, holdfast gate sends it the requests that failed before. If an issue is said to be fixed and its request still fails, the deployment stops.",
        see: "Open the broken price list, resolve its issue in the console, and check a build without the fix: it is stopped. With the fix it passes.",
        guide: "deployment",
        sources: ["pages/try/gate/prices.server.ts", "server/run-gate.ts"],
      },
      {
        path: "/try/release",
        title: "A release that breaks a page",
        rule: "A route that fails more often than in the release before is answered by the build before, until the new one works. The other routes stay on the new build, and an issue says which one is healed.",
        see: "Deploy a release that breaks the cart, on a real server beside the tour: some visitors of the cart see an error. Then it runs on the release before, and the other pages stay on the new one.",
        guide: "deployment",
        sources: ["pages/try/release/cart.server.ts", "server/run-release.ts"],
      },
    ],
  },
  {
    name: "Reports",
    experiments: [
      {
        path: "/try/trace",
        title: "One trace",
        rule: "Requests for page data carry the trace of the click in three headers. The server's spans and your own hang below it, so that one picture shows the whole way.",
        see: "Ask once more, see the headers, then follow the link in the panel into the console.",
        guide: "errors-and-digests",
      },
      {
        path: "/try/noise",
        title: "What is left out",
        rule: "Errors of browsers and extensions that say nothing about the application are left out, by rules with names. What is left out is counted.",
        see: "Throw one of each, and watch which of them become envelopes.",
        guide: "errors-and-digests",
      },
      {
        path: "/try/outage",
        title: "Reports through an outage",
        rule: "A report that does not get through is kept and tried again, and arrives once. The page notices nothing of it.",
        see: "Hold reports back, throw an error or two, then choose Nothing again. After some seconds they are among the last envelopes.",
        guide: "errors-and-digests",
      },
      {
        path: "/try/private",
        title: "What reports do not tell",
        rule: "No cookie, no body, no address of a visitor and no value whose name sounds like a secret leaves the application, unless you say so.",
        see: "Send the form: it fails. Then look at the event in the console for what you typed.",
        guide: "security",
      },
      {
        path: "/try/tunnel",
        title: "The tunnel",
        rule: "Reports of browsers go to a path on the own host, which alone decides where they go on to. Letters of other sites, for other services, too large or unreadable are refused.",
        see: "Send each of them and read the answer.",
        guide: "security",
      },
      {
        path: "/try/attachment",
        title: "An error with a file",
        rule: "A report can bring files: a log, a screenshot, the input that could not be read. The service keeps them beside the event, removes secrets from texts, and never opens one in a browser.",
        see: "Import the price list. Its second line has no price, so the import fails, and the list goes to the console with the error. The password in its first line does not.",
        guide: "service",
      },
      {
        path: "/try/balance",
        title: "The balance",
        rule: "Servers and browsers write down each error page they show, by a way that no event takes. Each hour both sides are compared: an error page without an event is an issue, and so is a submission without an outcome or a navigation without an end. Each visitor has got through, got further or given up.",
        see: "Open the till: it fails once. Try again, and the balance counts you as one who got through. Then lose a report: its digest is being looked for, and ten minutes after the hour it is an issue.",
        guide: "console",
      },
      {
        path: "/try/answer",
        sources: ["pages/try/answer/desk.server.ts"],
        title: "Whether it is repaired",
        rule: "A visitor who has read a digest asks under it, without an account: it is known, being repaired, or repaired. The answer says nothing else about the error. On the next visit the page says by itself that it works now.",
        see: "Go to the desk: it fails. Follow “See whether it is repaired”. Come back, repair it, resolve its issue in the console, and ask again.",
        guide: "errors-and-digests",
      },
      {
        path: "/try/feedback",
        title: "Feedback",
        rule: "A page can ask its visitors what they think, with one component. It is a plain form, so it works without JavaScript, and what is written is never an error.",
        see: "Write something and send it. The console shows your words with this page, the trace and your last steps.",
        guide: "errors-and-digests",
      },
      {
        path: "/try/schedule",
        sources: ["schedules.server.ts"],
        title: "A scheduled task",
        rule: "The exports of src/schedules.server.ts are tasks that run at their times, each in one of all processes. A run that fails, comes late, takes too long or does not come becomes an issue by itself.",
        see: "This task removes bookings whose day is over, every minute. Let the next run fail, and find its issue in the console; the run after it resolves the issue.",
        guide: "schedules",
      },
    ],
  },
];

export function findExperiment(path: string): Experiment | undefined {
  const shown = path.startsWith("/try/orders/") ? "/try/orders/7" : path.replace(/^(\/try\/dialogs)\/.+/, "$1");
  return groups.flatMap(({ experiments }) => experiments).find((experiment) => experiment.path === shown);
}
