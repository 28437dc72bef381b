import type { Role } from "../accounts/people.ts";
import type { AlertConditions } from "../administration/alert-administration.ts";
import type { ServiceSettings } from "../administration/service-settings.ts";
import type { AlertRule } from "../alerts/alert-settings.ts";
import type { AlertsAnswer } from "../console-api/alerts-api.ts";
import type { BalanceHour } from "../console-api/balance-api.ts";
import type { NumberedChange, Storage, TaskChange } from "../console-api/console-api.ts";
import type { ShownFilter } from "../console-api/filters-api.ts";
import type { HealingApi } from "../console-api/healing-api.ts";
import type { KeptApi, KeptList } from "../console-api/kept-api.ts";
import type { KeyStep } from "../console-api/keys-api.ts";
import type { ScrubRuleWish, ScrubTrial } from "../console-api/scrub-api.ts";
import type { SpikesApi } from "../console-api/spikes-api.ts";
import type { ErasureReport } from "../erasures/erasure-reports.ts";
import type { FilterKind } from "../intake/filters.ts";
import type { ProjectScrubRule } from "../intake/scrub-rules.ts";
import type { SpikeRules } from "../intake/spike-rules.ts";
import type { FeedbackEntry } from "../queries/feedback.ts";
import type { FindResult } from "../queries/find.ts";
import type { IssueAnswer } from "../queries/issue.ts";
import type { IssueVisitorsAnswer } from "../queries/issue-visitors.ts";
import type { LiveAnswer } from "../queries/live.ts";
import type { OverviewAnswer } from "../queries/overview.ts";
import type { PageReport } from "../queries/pages.ts";
import type { PublicEvent } from "../queries/public-event.ts";
import type { ReleaseComparison } from "../queries/release-comparison.ts";
import type { ReleaseAnswer, ReleaseDetails } from "../queries/releases.ts";
import type { RouteTrend } from "../queries/route-trend.ts";
import type { ScheduledTaskAnswer } from "../queries/scheduled-tasks.ts";
import type { SearchAnswer } from "../queries/search.ts";
import type { QueryFinding } from "../queries/slow-queries.ts";
import type { SpansAnswer } from "../queries/spans.ts";
import type { TraceAnswer } from "../queries/trace.ts";
import type { VisitorAnswer } from "../queries/visitor.ts";
import type { ErasureCounts } from "../stores/erase/erasure.ts";
import type { LogLine } from "../stores/filed.ts";
import type { EventSummary, IssueRecord } from "../stores/records.ts";
import type { IssueSort } from "../stores/store-requests.ts";
import type { Scope } from "../tokens/scopes.ts";
import type { Deploy } from "../uploads/deploys.ts";

export interface InProject {
  readonly project: number;
}

export interface InIssue extends InProject {
  readonly number: number;
}

/** An id that is a text. */
export interface ById extends InProject {
  readonly id: string;
}

export interface PageQuery {
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Both parts of a list: `next` is absent on the last page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string | undefined;
}

export interface IssuesQuery extends PageQuery {
  /** In the filter language of the console's search box. */
  readonly q: string;
  readonly sort: IssueSort;
}

/** What is to be forgotten. */
export type ApiErasure =
  | { readonly what: "visitor"; readonly identity: string }
  | { readonly what: "event"; readonly id: string }
  | { readonly what: "issue"; readonly number: number }
  | { readonly what: "project" };

export type ApiIssue = Omit<IssueRecord, "id" | "mergedInto" | "project">;
export type ApiEventSummary = Omit<EventSummary, "rowId" | "project" | "issue" | "visitor">;

/** An issue as a whole. Other issues are in `similar` and `mentionedIn`. */
export interface ApiIssueDetails {
  readonly issue: ApiIssue;
  readonly history: IssueAnswer["history"];
  readonly releases: IssueAnswer["releases"];
  readonly distributions: IssueAnswer["distributions"];
  readonly suspect?: IssueAnswer["suspect"];
  readonly similar: readonly ApiIssue[];
  readonly mentionedIn: readonly ApiIssue[];
}

/** A change of issues. Without `to`, they are assigned to no person; without `address`, they have no ticket. */
export type ApiIssueChange =
  | Exclude<NumberedChange, { kind: "assign" | "ticket" }>
  | { readonly kind: "assign"; readonly to?: string | undefined }
  | { readonly kind: "ticket"; readonly address?: string | undefined };

export interface Changed {
  /** How many were changed. */
  readonly changed: number;
}

export interface Me {
  readonly name: string;
  /** Of the token. Absent for a session. */
  readonly scopes?: readonly Scope[] | undefined;
  readonly projects: readonly { readonly id: number; readonly name: string; readonly role: Role }[];
}

export interface ApiProject {
  readonly id: number;
  readonly name: string;
  /** Template of links to lines of the repository. */
  readonly sourceLink?: string | undefined;
}

export interface ApiKey {
  readonly publicKey: string;
  /** What a client of Sentry needs to send reports. */
  readonly dsn: string;
}

/** A key with its limits and its last use. */
export interface ApiKeyDetails extends ApiKey {
  readonly name: string;
  readonly isMain: boolean;
  readonly isDisabled: boolean;
  readonly origins: readonly string[];
  readonly refused: number;
  readonly createdAt?: number | undefined;
  readonly perMinute?: number | undefined;
  readonly lastUsedAt?: number | undefined;
}

export interface KeyBody {
  readonly name: string;
  readonly origins: readonly string[];
  readonly perMinute?: number | undefined;
}

export type ScrubRuleBody = ScrubRuleWish;
export type SpikeBody = SpikeRules;

export interface FilteredQuery {
  /** In the filter language. */
  readonly q: string;
  readonly days: number;
}

export interface ApiPerson {
  readonly email: string;
  readonly name?: string | undefined;
  readonly role: Role;
  /** Has this role in every project, so that no single project can change it. */
  readonly everywhere: boolean;
}

export interface ApiAuditEntry {
  readonly at: number;
  readonly by: string;
  readonly what: string;
}

export interface ApiLogLine extends Omit<LogLine, "attributes"> {
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
}

export interface LogsQuery extends PageQuery {
  /** Words that a line must have. */
  readonly q: string;
  readonly levels?: readonly string[] | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface ChannelBody {
  readonly name: string;
  readonly channel: Readonly<Record<string, unknown>>;
}

export interface ApiToken {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly created: number;
  readonly by: string;
  readonly expires?: number | undefined;
  /** The last use, to the minute. */
  readonly used?: number | undefined;
}

export interface TokenBody {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expires?: number | undefined;
}

export interface NewApiToken {
  readonly token: ApiToken;
  /** It is here and nowhere else. */
  readonly secret: string;
}

export type ApiSpike = NonNullable<ReturnType<SpikesApi["recent"]>>;
type KeptWhole = NonNullable<Awaited<ReturnType<KeptApi["show"]>>>;
type KeptResult = Awaited<ReturnType<KeptApi["run"]>>[number];
type HealingStatus = NonNullable<Awaited<ReturnType<HealingApi["status"]>>>;

/** Every operation of the API, with the types of its input and of its response. */
export interface ApiOperations {
  "GET /openapi.json": { response: object };
  "GET /me": { response: Me };
  "POST /logins": {
    body: { readonly code: string; readonly verifier: string };
    response: { readonly token: string; readonly name: string; readonly expires?: number | undefined };
  };
  "POST /logins/end": { body: { readonly token: string } };
  "GET /digests/{digest}": {
    params: { readonly digest: string };
    response: { readonly project: number; readonly event: string; readonly issue: number };
  };

  "GET /projects": { response: { readonly items: readonly ApiProject[] } };
  "POST /projects": { body: { readonly name: string }; response: ApiProject };
  "GET /projects/{project}": { params: InProject; response: ApiProject };
  "PATCH /projects/{project}": {
    params: InProject;
    body: { readonly name?: string | undefined; readonly sourceLink?: string | undefined };
    response: ApiProject;
  };

  "GET /projects/{project}/issues": { params: InProject; query: IssuesQuery; response: Page<ApiIssue> };
  "POST /projects/{project}/issues/changes": {
    params: InProject;
    body: { readonly numbers: readonly number[]; readonly change: ApiIssueChange };
    response: Changed;
  };
  "GET /projects/{project}/issues/{number}": { params: InIssue; response: ApiIssueDetails };
  "POST /projects/{project}/issues/{number}/changes": { params: InIssue; body: ApiIssueChange; response: ApiIssue };
  "GET /projects/{project}/issues/{number}/events": {
    params: InIssue;
    query: PageQuery;
    response: Page<ApiEventSummary>;
  };

  "GET /projects/{project}/events/{id}": { params: ById; response: PublicEvent };
  "GET /projects/{project}/events/{id}/attachments": {
    params: ById;
    response: {
      readonly items: readonly {
        readonly id: number;
        readonly filename: string;
        readonly contentType?: string | undefined;
        readonly size?: number | undefined;
      }[];
    };
  };
  "GET /projects/{project}/events/{id}/attachments/{attachment}": {
    params: ById & { readonly attachment: number };
  };
  "GET /projects/{project}/find": { params: InProject; query: { readonly q: string }; response: FindResult };
  "GET /projects/{project}/search": { params: InProject; query: { readonly q: string }; response: SearchAnswer };
  "GET /projects/{project}/traces/{id}": { params: ById; response: TraceAnswer };
  "GET /projects/{project}/logs": { params: InProject; query: LogsQuery; response: Page<ApiLogLine> };
  "GET /projects/{project}/visitors/{visitor}": {
    params: InProject & { readonly visitor: number };
    response: VisitorAnswer;
  };
  "GET /projects/{project}/pages": {
    params: InProject;
    query: { readonly days: number };
    response: { readonly items: readonly PageReport[] };
  };
  "GET /projects/{project}/releases": { params: InProject; response: { readonly items: readonly ReleaseAnswer[] } };
  "GET /projects/{project}/releases/{id}": { params: ById; response: ReleaseDetails };

  "GET /projects/{project}/feedback": {
    params: InProject;
    query: { readonly archived: boolean; readonly cursor?: string | undefined };
    response: Page<FeedbackEntry>;
  };
  "POST /projects/{project}/feedback/changes": {
    params: InProject;
    body: { readonly ids: readonly number[]; readonly archived: boolean };
    response: Changed;
  };

  "GET /projects/{project}/erasures": { params: InProject; response: { readonly items: readonly ErasureReport[] } };
  "POST /projects/{project}/erasures": { params: InProject; body: ApiErasure; response: ErasureReport };
  "POST /projects/{project}/erasures/plan": { params: InProject; body: ApiErasure; response: ErasureCounts };

  "GET /projects/{project}/check-ins": {
    params: InProject;
    response: { readonly items: readonly ScheduledTaskAnswer[] };
  };
  "POST /projects/{project}/check-ins/changes": {
    params: InProject;
    body: { readonly name: string; readonly environment?: string | undefined; readonly change: TaskChange };
  };

  "GET /projects/{project}/alerts": { params: InProject; response: AlertsAnswer };
  "PUT /projects/{project}/alerts/rules": { params: InProject; body: AlertRule };
  "POST /projects/{project}/alerts/rules/preview": {
    params: InProject;
    body: AlertRule;
    response: { readonly times?: number | undefined };
  };
  "PUT /projects/{project}/alerts/conditions": { params: InProject; body: AlertConditionsBody };
  "POST /projects/{project}/alerts/channels": { params: InProject; body: ChannelBody };
  "PUT /projects/{project}/alerts/channels/{id}": { params: ById; body: ChannelBody };
  "DELETE /projects/{project}/alerts/channels/{id}": { params: ById };
  "POST /projects/{project}/alerts/channels/{id}/test": { params: ById };

  "GET /projects/{project}/keys": { params: InProject; response: { readonly items: readonly ApiKeyDetails[] } };
  "POST /projects/{project}/keys": { params: InProject; body: KeyBody; response: ApiKey };
  "PUT /projects/{project}/keys/{id}": { params: ById; body: KeyBody };
  "POST /projects/{project}/keys/{id}/changes": { params: ById; body: { readonly change: KeyStep } };
  "GET /projects/{project}/filters": { params: InProject; response: { readonly items: readonly ShownFilter[] } };
  "POST /projects/{project}/filters": {
    params: InProject;
    body: { readonly kind: FilterKind; readonly pattern: string };
    response: { readonly id: string };
  };
  "DELETE /projects/{project}/filters/{id}": { params: ById };
  "GET /projects/{project}/scrub-rules": {
    params: InProject;
    response: { readonly items: readonly ProjectScrubRule[] };
  };
  "POST /projects/{project}/scrub-rules": {
    params: InProject;
    body: ScrubRuleBody;
    response: { readonly id: string };
  };
  "POST /projects/{project}/scrub-rules/trial": {
    params: InProject;
    body: ScrubRuleBody;
    response: { readonly items: readonly ScrubTrial[] };
  };
  "DELETE /projects/{project}/scrub-rules/{id}": { params: ById };
  "GET /projects/{project}/spikes": {
    params: InProject;
    response: { readonly rules: SpikeRules; readonly recent?: ApiSpike | undefined };
  };
  "PUT /projects/{project}/spikes": { params: InProject; body: SpikeBody };
  "POST /projects/{project}/issues/{number}/ticket": {
    params: InIssue;
    body: { readonly address?: string | undefined };
  };
  "GET /projects/{project}/spans": { params: InProject; query: FilteredQuery; response: SpansAnswer };
  "GET /projects/{project}/slow-queries": {
    params: InProject;
    query: FilteredQuery;
    response: { readonly items: readonly QueryFinding[] };
  };
  "POST /projects/{project}/keys/renew": { params: InProject; response: ApiKey };

  "GET /projects/{project}/people": {
    params: InProject;
    response: {
      readonly items: readonly ApiPerson[];
      readonly invites: readonly { readonly email: string; readonly role: Role }[];
    };
  };
  "POST /projects/{project}/people": {
    params: InProject;
    body: { readonly email: string; readonly role: Role };
    response: { readonly link: string };
  };
  "PUT /projects/{project}/people/{email}": {
    params: InProject & { readonly email: string };
    body: { readonly role: Role };
  };
  "DELETE /projects/{project}/people/{email}": { params: InProject & { readonly email: string } };
  "GET /projects/{project}/audit": { params: InProject; query: PageQuery; response: Page<ApiAuditEntry> };

  "GET /projects/{project}/overview": { params: InProject; response: OverviewAnswer };
  "GET /projects/{project}/live": {
    params: InProject;
    query: { readonly after?: number | undefined; readonly visitor?: number | undefined };
    response: LiveAnswer;
  };
  "GET /projects/{project}/issues/news": {
    params: InProject;
    query: { readonly q: string; readonly after?: number | undefined };
    response: { readonly events: number; readonly issues: number };
  };
  "GET /projects/{project}/issues/counts": {
    params: InProject;
    query: { readonly q: string };
    response: Readonly<Record<"open" | "regressed" | "resolved" | "muted", number>>;
  };
  "GET /projects/{project}/issues/{number}/visitors": {
    params: InIssue;
    query: { readonly sort: "last" | "first" | "events"; readonly page: number };
    response: Omit<IssueVisitorsAnswer, "issue" | "hasNext">;
  };
  "GET /projects/{project}/pages/route": {
    params: InProject;
    query: { readonly route: string; readonly days: number };
    response: RouteTrend;
  };
  "GET /projects/{project}/releases/compared": {
    params: InProject;
    query: { readonly from: string; readonly to: string };
    response: ReleaseComparison;
  };
  "GET /projects/{project}/releases/{id}/deploys": { params: ById; response: { readonly items: readonly Deploy[] } };
  "GET /projects/{project}/balance": {
    params: InProject;
    query: { readonly hours: number };
    response: { readonly items: readonly BalanceHour[] };
  };

  "GET /me/tokens": { response: { readonly items: readonly ApiToken[] } };
  "POST /me/tokens": { body: TokenBody; response: NewApiToken };
  "DELETE /me/tokens/{token}": { params: { readonly token: number } };
  "GET /projects/{project}/tokens": { params: InProject; response: { readonly items: readonly ApiToken[] } };
  "POST /projects/{project}/tokens": { params: InProject; body: TokenBody; response: NewApiToken };
  "DELETE /projects/{project}/tokens/{token}": { params: InProject & { readonly token: number } };

  "GET /projects/{project}/kept": {
    params: InProject;
    query: { readonly all: boolean; readonly limit: number; readonly issue?: number | undefined };
    response: KeptList;
  };
  "GET /projects/{project}/kept/{id}": { params: ById; response: KeptWhole };
  "POST /projects/{project}/kept/run": {
    params: InProject;
    body: {
      readonly names: readonly string[];
      readonly trial?: boolean | undefined;
      readonly evenIfUnsure?: boolean | undefined;
    };
    response: { readonly items: readonly KeptResult[] };
  };
  "DELETE /projects/{project}/kept/{id}": { params: ById };
  "GET /projects/{project}/healing": { params: InProject; response: HealingStatus };
  "PUT /projects/{project}/healing": {
    params: InProject;
    body: { readonly route: string; readonly to?: "new" | "before" | undefined };
  };
  "POST /projects/{project}/scrub": {
    params: InProject;
    body: { readonly text: string; readonly rules: ServiceSettings["scrub"] };
    response: { readonly left: string };
  };
  "GET /settings": { response: ServiceSettings };
  "PUT /settings": { body: ServiceSettings; response: ServiceSettings };
  "GET /storage": { response: Storage };
}

export interface AlertConditionsBody extends Omit<AlertConditions, "quietHours"> {
  readonly quietHours?: AlertConditions["quietHours"];
}
