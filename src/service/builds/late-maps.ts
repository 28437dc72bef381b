import type { ReportedEvent } from "#protocol";
import type { EventRecord, SourceMapName } from "../stores/records.ts";
import type { SourceMapReader, StoreReader } from "../stores/store.ts";
import { mapsPerEvent } from "./maps-per-event.ts";
import type { Symbolicate } from "./symbolicate.ts";

/** Of few events that people look at. */
const mostMaps = 10;

/**
 * Shows source lines for events that were filed before their source maps arrived. What was decided when they were filed
 * stays: issue, title and counts.
 */
export function withLateMaps(
  reader: StoreReader & SourceMapReader,
  // With the first event that needs it: a start reads fewer files.
  load: () => Promise<Pick<typeof import("./symbolicate.ts"), "createSymbolicate">> = () => import("./symbolicate.ts"),
): StoreReader {
  let loading: Promise<Symbolicate | undefined> | undefined;
  const symbolicateOnce = async (): Promise<Symbolicate | undefined> => {
    try {
      const { createSymbolicate } = await load();
      return createSymbolicate({ sourceMap: reader.sourceMap, mostMaps });
    } catch {
      // Such as too many open files, or files that an update replaces. The next event tries again.
      loading = undefined;
      return undefined;
    }
  };
  return {
    ...reader,
    async event(project, idOrPrefix) {
      const record = await reader.event(project, idOrPrefix);
      if (record === undefined || record.body.kind !== "whole") return record;
      const maps = mapsOf(record.project, record.body.event);
      if (maps.length === 0) return record;
      await reader.fetchSourceMaps(maps);
      loading ??= symbolicateOnce();
      const symbolicate = await loading;
      return symbolicate === undefined ? record : repaired(record, record.body.event, symbolicate);
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
