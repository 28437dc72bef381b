import type { ReportedEvent } from "#protocol";
import type { EventRecord, SourceMapName } from "../stores/records.ts";
import type { SourceMapReader, StoreReader } from "../stores/store.ts";
import { createSymbolicate, mapsPerEvent, type Symbolicate } from "./symbolicate.ts";

/** Of few events that people look at. */
const mostMaps = 10;

/**
 * Shows source lines for events that were filed before their source maps arrived. What was decided when they were filed
 * stays: issue, title and counts.
 */
export function withLateMaps(reader: StoreReader & SourceMapReader): StoreReader {
  const symbolicate = createSymbolicate({ sourceMap: reader.sourceMap, mostMaps });
  return {
    ...reader,
    async event(project, idOrPrefix) {
      const record = await reader.event(project, idOrPrefix);
      if (record === undefined || record.body.kind !== "whole") return record;
      await reader.fetchSourceMaps(mapsOf(record.project, record.body.event));
      return repaired(record, record.body.event, symbolicate);
    },
  };
}

function repaired(record: EventRecord, event: ReportedEvent, symbolicate: Symbolicate): EventRecord {
  const { event: mapped } = symbolicate(record.project, event);
  return mapped === event ? record : { ...record, body: { kind: "whole", event: mapped } };
}

/** Names the maps of frames that still are built code. */
function mapsOf(project: number, { debugImages, exceptions, frames = [] }: ReportedEvent): SourceMapName[] {
  const all = [...exceptions.flatMap((exception) => exception.frames), ...frames];
  if (all.every(({ isMapped }) => isMapped)) return [];
  const ids = new Set([...debugImages.map(({ debugId }) => debugId), ...all.flatMap(({ debugId }) => debugId ?? [])]);
  return [...ids].slice(0, mapsPerEvent * 2).map((debugId) => ({ project, debugId }));
}
