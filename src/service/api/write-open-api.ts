import { apiPath } from "../console-path.ts";
import type { AnyRoute, Routes } from "./route.ts";
import type { JsonSchema } from "./schema/schema.ts";

/** Writes the table of routes as an OpenAPI 3.1 document. Schemas with a title are written once, under its name. */
export function writeOpenApi(routes: Routes): object {
  const components = new Map<string, object>([["Problem", problem]]);
  const paths: Record<string, Record<string, object>> = {};
  for (const [operation, route] of Object.entries<AnyRoute>(routes)) {
    const [method = "", path = ""] = operation.split(" ");
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(operation, route, components) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Holdfast",
      version: "1",
      description:
        "Everything that the console can ask and do. Fields and operations of version 1 are only ever added.",
    },
    servers: [{ url: apiPath }],
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      schemas: Object.fromEntries([...components].sort(([one], [other]) => (one < other ? -1 : 1))),
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "A token of a person or project: `hft_…`." },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-holdfast-console",
          description: "The session of the console. Changes must come from a page of the same origin.",
        },
      },
    },
  };
}

const problem = {
  type: "object",
  description: "Why a request was refused (RFC 9457). `code` never changes; the words may.",
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    code: { type: "string" },
    detail: { type: "string" },
    path: { type: "string", description: "JSON Pointer into the body, or the name of a parameter." },
  },
  required: ["type", "title", "status", "code", "detail"],
};

const refusal = {
  description: "The request was refused.",
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

function describe(operation: string, route: AnyRoute, components: Map<string, object>): object {
  const { needs, body } = route;
  const role = needs?.role === undefined ? "" : ` Role: \`${needs.role}\`.`;
  return {
    operationId: operationIdOf(operation),
    summary: route.summary,
    ...(needs === undefined ? { security: [] } : { description: `Scope: \`${needs.scope}\`.${role}` }),
    parameters: [...parametersOf(route.params, "path", components), ...parametersOf(route.query, "query", components)],
    ...(body && {
      requestBody: { required: true, content: { "application/json": { schema: referred(body, components) } } },
    }),
    responses: { ...successOf(operation, route, components), default: refusal },
  };
}

/** For example `get_projects_project_issues`. */
function operationIdOf(operation: string): string {
  return operation
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, "_")
    .replace(/_$/, "");
}

const typeOfFile = { bytes: "application/octet-stream", lines: "application/x-ndjson" } as const;

function successOf(operation: string, route: AnyRoute, components: Map<string, object>): Record<string, object> {
  const { response, also, isFile } = route;
  if (isFile !== undefined)
    return {
      200: { description: "The file.", content: { [typeOfFile[isFile]]: { schema: { type: "string" } } } },
    };
  if (response === undefined) return { 204: { description: "It is done." } };
  const content = {
    "application/json": { schema: referred(response, components) },
    ...(also && { [also]: { schema: { type: "string" } } }),
  };
  const described = { description: "What was asked for.", content };
  if (operation.startsWith("GET ")) return { 200: described, 304: { description: "It is as `If-None-Match` has it." } };
  return { 200: described, 201: { description: "It was made.", content } };
}

function parametersOf(
  schema: JsonSchema | undefined,
  where: "path" | "query",
  components: Map<string, object>,
): object[] {
  return Object.entries(schema?.properties ?? {}).map(([name, { description, ...one }]) => ({
    name,
    in: where,
    required: where === "path" || (schema?.required?.includes(name) === true && one.default === undefined),
    ...(description !== undefined && { description }),
    ...(one.type === "array" && { style: "form", explode: false }),
    schema: referred(one, components),
  }));
}

/** The schema with references in place of the schemas that have a title. */
function referred(schema: JsonSchema, components: Map<string, object>): object {
  const { title } = schema;
  if (title === undefined) return withInner(schema, components);
  if (!components.has(title)) {
    components.set(title, {});
    components.set(title, withInner(schema, components));
  }
  return { $ref: `#/components/schemas/${title}` };
}

function withInner(schema: JsonSchema, components: Map<string, object>): object {
  const { items, properties, anyOf, additionalProperties } = schema;
  return {
    ...schema,
    ...(items && { items: referred(items, components) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, referred(one, components)]),
      ),
    }),
    ...(anyOf && { anyOf: anyOf.map((one) => referred(one, components)) }),
    ...(additionalProperties && { additionalProperties: referred(additionalProperties, components) }),
  };
}
