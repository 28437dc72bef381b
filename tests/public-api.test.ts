import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { supportedNodes } from "../bin/node-version.js";
import { root } from "../scripts/root.js";
import { readEntryPoint } from "./walls/read-entry-point.ts";

/**
 * Every public name, sorted. Who changes what the package gives out changes it here too, and thinks once more: a name
 * that is given out is kept.
 */
const publicNames: Record<string, { values: string[]; types: string[] }> = {
  index: {
    values: [
      "Await",
      "Feedback",
      "Font",
      "Form",
      "FormRows",
      "HoldfastError",
      "Image",
      "JsonLd",
      "Link",
      "OpenGraph",
      "Script",
      "actionsOf",
      "href",
      "navigate",
      "onSignal",
      "prefetch",
      "revalidate",
      "useActions",
      "useAnswerAddress",
      "useBlocker",
      "useDialog",
      "useFetcher",
      "useHistoryState",
      "useInfiniteList",
      "useLanguage",
      "useNavigation",
      "useNonce",
      "useOptimistic",
      "usePage",
      "usePagination",
      "useRevalidate",
      "useSearch",
      "useSocket",
      "useSorting",
    ],
    types: [
      "ActionFetcher",
      "ActionRef",
      "ActionRefs",
      "AfterTarget",
      "CallFields",
      "DataFailure",
      "DataFetcher",
      "DataFetcherOptions",
      "DataOutcome",
      "ErrorProps",
      "FeedbackProps",
      "FeedbackWords",
      "Fetcher",
      "FetcherOptions",
      "FolderId",
      "FontFile",
      "FontProps",
      "FormProps",
      "FormRow",
      "FormRowList",
      "FormRowsProps",
      "FormState",
      "HistoryKey",
      "ImageFile",
      "ImageProps",
      "ImageSource",
      "InfiniteList",
      "InfiniteListOptions",
      "JsonLdProps",
      "JsonLdThing",
      "JsonLdValue",
      "Language",
      "LayoutActions",
      "LayoutData",
      "LinkParams",
      "LinkProps",
      "LinkSearch",
      "LinkTarget",
      "LinkText",
      "LinkTo",
      "LiveSocket",
      "MoreLink",
      "NavigateOptions",
      "Navigation",
      "NumberKey",
      "OpenGraphProps",
      "Optimistic",
      "OptimisticOptions",
      "PageActions",
      "PageData",
      "PageDialog",
      "PageId",
      "PageLanguage",
      "PageParams",
      "PageSearch",
      "Pagination",
      "PaginationOptions",
      "Posted",
      "RevalidateOptions",
      "RouteId",
      "RouteParams",
      "ScriptProps",
      "SearchAnchor",
      "SearchArgument",
      "SearchPage",
      "SearchProps",
      "SetHistoryState",
      "SetHistoryStateOptions",
      "SetSearch",
      "SetSearchOptions",
      "Signal",
      "SocketEnd",
      "SocketGives",
      "SocketId",
      "SocketState",
      "SocketTakes",
      "SortColumn",
      "SortedColumn",
      "SortingOptions",
      "SubmissionState",
      "TargetArgument",
      "TypedPage",
      "UseSocketOptions",
    ],
  },
  server: {
    values: [
      "action",
      "after",
      "channel",
      "cookieSession",
      "environment",
      "events",
      "forbidden",
      "invalid",
      "invalidate",
      "load",
      "notFound",
      "onRequest",
      "onSocket",
      "redirect",
      "robots",
      "schedule",
      "sequence",
      "sitemap",
      "unauthorized",
    ],
    types: [
      "Action",
      "ActionContext",
      "AfterContext",
      "ArrivingFile",
      "CookieOptions",
      "Cookies",
      "Environment",
      "EventsContext",
      "Guard",
      "HoldfastConfig",
      "HookRequest",
      "LeavingRequest",
      "LeavingResponse",
      "LifecycleContext",
      "LifecycleHook",
      "LiveChannel",
      "Load",
      "LoadContext",
      "Locals",
      "PageBudget",
      "PageCache",
      "Prerender",
      "PrerenderContext",
      "RequestContext",
      "ResponseHead",
      "RobotsOptions",
      "RobotsRule",
      "Schedule",
      "ScheduleContext",
      "ScheduleOptions",
      "Schema",
      "ServerEvent",
      "Session",
      "SessionOptions",
      "SitemapEntry",
      "SitemapLimits",
      "SitemapOptions",
      "Socket",
      "SocketContext",
      "SubscribeOptions",
      "Texts",
      "UploadTarget",
      "VariableType",
    ],
  },
  vite: { values: ["holdfast"], types: ["HoldfastPluginOptions"] },
  report: {
    values: ["addStep", "captureError", "captureMessage", "log", "setUser", "span"],
    types: ["About", "Attributes", "Level", "User"],
  },
  service: {
    values: [
      "authorize",
      "consoleApi",
      "createApiClient",
      "erasedWords",
      "isAtLeast",
      "lastDays",
      "readFilter",
      "roleIn",
    ],
    types: [
      "Accounts",
      "Administration",
      "AlertRule",
      "ApiClient",
      "ApiClientOptions",
      "ApiInput",
      "ApiOperations",
      "ApiResponse",
      "Applicant",
      "AuditEntry",
      "Authorization",
      "Authorize",
      "Breadcrumb",
      "Caller",
      "ConsoleApi",
      "Distribution",
      "ErasureSubject",
      "EventAnswer",
      "EventSummary",
      "FindResult",
      "Frame",
      "HistoryEntry",
      "IssueAnswer",
      "IssueListAnswer",
      "IssueListRow",
      "IssueRecord",
      "IssueSort",
      "IssueState",
      "ListedLine",
      "LiveRecord",
      "LogChart",
      "Member",
      "NumberedChange",
      "Period",
      "Person",
      "PublicEvent",
      "PublicException",
      "PublicFrame",
      "QueryFinding",
      "ReportedEvent",
      "ReportedException",
      "Role",
      "SaveOutcome",
      "SavedSearch",
      "SearchAnswer",
      "SearchScreen",
      "ServiceSettings",
      "SignIn",
      "SpanExample",
      "SpanGroup",
      "VisitorAnswer",
      "VisitorIdentity",
      "VisitorStep",
    ],
  },
  protocol: {
    values: [
      "digestOf",
      "envelopeUrl",
      "jsonItem",
      "newEventId",
      "protocolLimits",
      "readDigest",
      "readDsn",
      "readEnvelope",
      "writeDsn",
      "writeEnvelope",
    ],
    types: ["Dsn", "Envelope", "EnvelopeHeader", "EnvelopeItem", "EnvelopeReading", "ItemHeader", "ProtocolLimits"],
  },
  mount: {
    values: ["openApplication"],
    types: ["FetchHandler", "FetchSender", "MountedApplication", "Next", "OpenApplicationOptions"],
  },
  testing: {
    values: ["openTestApp", "renderPage"],
    types: [
      "ActionStub",
      "ActionStubs",
      "LayoutStub",
      "LoadStub",
      "PageStubs",
      "RecordedNavigation",
      "RecordedSubmission",
      "RenderedPage",
      "StubOutcome",
      "StubbedProps",
      "TestAnswer",
      "TestApp",
      "TestAppOptions",
      "TestFailure",
      "TestPageData",
    ],
  },
};

const entryPoints = Object.keys(publicNames);

describe.each(entryPoints)("the entry point %s", (name) => {
  const entryPoint = readEntryPoint(readFileSync(join(root, "src/exports", `${name}.ts`), "utf8"));

  test("gives out exactly the public names", () => {
    expect({ values: entryPoint.values, types: entryPoint.types }).toEqual(publicNames[name]);
  });

  test("holds documented re-exports and nothing else", () => {
    expect(entryPoint.breaches).toEqual([]);
  });

  test("gives out the values it names when it is imported", async () => {
    const imported: object = await import(`../src/exports/${name}.ts`);
    expect(Object.keys(imported).sort()).toEqual(entryPoint.values);
  });
});

test("every file of exports is an entry point of the package, and every entry point has its file", () => {
  const files = readdirSync(join(root, "src/exports")).filter((file) => file.endsWith(".ts"));
  expect(files.sort()).toEqual(entryPoints.map((name) => `${name}.ts`).sort());
  const { exports }: { exports: Record<string, unknown> } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  const paths = entryPoints.map((name) => (name === "index" ? "." : `./${name}`));
  expect(Object.keys(exports).sort()).toEqual([...paths, "./package.json"].sort());
});

test("the command and package.json agree on the Node that is needed", () => {
  const { engines }: { engines: { node: string } } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(engines.node).toBe(supportedNodes);
});

describe("a planted breach is found:", () => {
  const head = "/** What it is for.\n * @module */\n";

  test("a proper entry point has no breach", () => {
    const entryPoint = readEntryPoint(
      `${head}/** Links. */\nexport { Link, type LinkProps, inner as outer } from "#pages/react";\n/** Types. */\nexport type {\n  A,\n} from "#routes";\n`,
    );
    expect(entryPoint).toEqual({ values: ["Link", "outer"], types: ["A", "LinkProps"], breaches: [] });
  });

  test.each([
    ["a star", `/** All. */\nexport * from "#pages";`, "not a re-export by name"],
    ["code", `/** One. */\nexport const one = 1;`, "not a re-export by name"],
    ["a file inside a part", `/** One. */\nexport { one } from "../pages/one.ts";`, "not a re-export by name"],
    ["a name without a word about it", `export { one } from "#pages";`, "not documented"],
    [
      "two groups in one block",
      `/** One. */\n/** Two. */\nexport { one, two } from "#pages";`,
      "has two comments; each group has a block of its own",
    ],
  ])("%s", (_, source, words) => {
    expect(readEntryPoint(`${head}${source}\n`).breaches.join()).toContain(words);
  });

  test("an entry point that does not say what it is for", () => {
    expect(readEntryPoint(`/** One. */\nexport { one } from "#pages";`).breaches.join()).toContain("what it is for");
  });
});
