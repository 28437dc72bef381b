import { messageOf } from "#errors";
import {
  type DatabaseInspection,
  inspectStoreDatabase,
  type MachineRecord,
  type PrimaryFacts,
  secretHash,
} from "#service";
import type { DoctorFinding } from "./finding.ts";

/** Clocks that differ by more show events in the wrong order, and end sessions and mutes at other times. */
const clockSeconds = 60;
/** Batches are counted within a second; after this time no process counts. */
const uncountedSeconds = 60;
/** A dump of 10 million events takes about this long. */
const snapshotSeconds = 1_800;
/** Machines write a note every minute. */
const silentSeconds = 300;
/**
 * Connections of one application or service process at most: 8 to file, count and ask, 4 for the console, 4 for
 * accounts and for files of other builds.
 */
const connectionsOfProcess = 16;

/** Checks the database that the machines share, and what must be equal on all of them. Changes nothing. */
export async function databaseFindings(store: string, secret: string | undefined): Promise<DoctorFinding[]> {
  try {
    const inspection = await inspectStoreDatabase(store);
    const { primary } = inspection;
    return [...hostFindings(inspection), ...(primary ? primaryFindings(primary, secret) : [])];
  } catch (error) {
    return [{ kind: "bad", about: "Database", message: messageOf(error) }];
  }
}

function hostFindings({ hosts, primary }: DatabaseInspection): DoctorFinding[] {
  const about = "Database";
  const findings = hosts.map((host): DoctorFinding => {
    if (host.kind !== "away")
      return { kind: "good", about, message: `${host.name} is the ${host.kind}, PostgreSQL ${host.version}` };
    return {
      kind: primary ? "notice" : "bad",
      about,
      message: `${host.name} does not answer: ${host.why}. Start it, or take it out of HOLDFAST_STORE`,
    };
  });
  if (primary || hosts.every(({ kind }) => kind === "away")) return findings;
  const message = "no server takes writes: a failover is under way, or the primary is missing in HOLDFAST_STORE";
  return [...findings, { kind: "bad", about, message }];
}

/** For a database whose state is known. */
export function primaryFindings(facts: PrimaryFacts, secret: string | undefined): DoctorFinding[] {
  const live = facts.machines.filter(({ seenSecondsAgo }) => seenSecondsAgo < silentSeconds);
  return [
    formatFinding(facts),
    ...machineFindings(live),
    secretFinding(live, secretHash(secret)),
    clockFinding(facts),
    replicationFinding(facts),
    checksumFinding(facts),
    countingFinding(facts),
    snapshotFinding(facts),
    connectionFinding(facts, live.length),
  ];
}

function formatFinding({ format, knownFormat }: PrimaryFacts): DoctorFinding {
  const about = "Tables";
  if (format === knownFormat) return { kind: "good", about, message: `format ${format}, as this version writes it` };
  if (format < knownFormat)
    return {
      kind: "notice",
      about,
      message: `format ${format}; the first process of this version that starts brings them to ${knownFormat}`,
    };
  return {
    kind: "bad",
    about,
    message: `format ${format} of a newer version, and this one knows ${knownFormat}. Update holdfast on this machine`,
  };
}

function machineFindings(live: readonly MachineRecord[]): DoctorFinding[] {
  const about = "Machines";
  if (live.length === 0)
    return [{ kind: "notice", about, message: "none has written in the last five minutes. Start one" }];
  const list = live.map(
    ({ host, kind, version, build }) => `${host} (${kind}, ${version}${build ? `, build ${build}` : ""})`,
  );
  const findings: DoctorFinding[] = [{ kind: "good", about, message: list.join(", ") }];
  const differing = (what: string, values: readonly string[], whatToDo: string): void => {
    const all = [...new Set(values)];
    if (all.length > 1) findings.push({ kind: "notice", about, message: `${what}: ${all.join(", ")}. ${whatToDo}` });
  };
  differing(
    "several versions of holdfast",
    live.map(({ version }) => version),
    "Finish the update on all machines",
  );
  differing(
    "several builds",
    live.flatMap(({ build }) => build ?? []),
    "A deploy is under way, or a machine was left out",
  );
  return findings;
}

function secretFinding(live: readonly MachineRecord[], own: string | undefined): DoctorFinding {
  const about = "Secret";
  const all = [
    ...live.map(({ host, secret }) => ({ host, secret })),
    ...(own === undefined ? [] : [{ host: "this command", secret: own }]),
  ];
  const without = all.filter(({ secret }) => secret === undefined).map(({ host }) => host);
  if (live.length > 1 && without.length > 0)
    return {
      kind: "bad",
      about,
      message: `HOLDFAST_SECRET is not set on ${without.join(", ")}. Set it to the same value on all machines`,
    };
  const groups = Map.groupBy(
    all.filter(({ secret }) => secret !== undefined),
    ({ secret }) => secret,
  );
  if (groups.size <= 1) return { kind: "good", about, message: "HOLDFAST_SECRET does not differ" };
  const hosts = [...groups.values()].map((group) => group.map(({ host }) => host).join(", "));
  return {
    kind: "bad",
    about,
    message: `HOLDFAST_SECRET differs: ${hosts.join(" | ")}. Set it to the same value on all machines, and restart them`,
  };
}

function clockFinding({ clock }: PrimaryFacts): DoctorFinding {
  const about = "Clock";
  const seconds = Math.abs(clock.database - clock.here) / 1_000;
  if (seconds <= clockSeconds) return { kind: "good", about, message: "this machine and the database agree" };
  return {
    kind: "bad",
    about,
    message: `this machine and the database differ by ${Math.round(seconds)} s. Set both by NTP (timedatectl set-ntp true)`,
  };
}

function replicationFinding(facts: PrimaryFacts): DoctorFinding {
  const about = "Replication";
  const { synchronousCommit: commit, synchronousStandbys: standbys, connectedStandbys } = facts;
  if (commit === "off")
    return {
      kind: "bad",
      about,
      message: "synchronous_commit is off: a crash loses reports that were acknowledged. Set it to on",
    };
  if (standbys === "" || commit === "local")
    return {
      kind: "notice",
      about,
      message:
        "commits wait for no standby: a failover loses the last reports. Set synchronous_mode: true in Patroni, or synchronous_standby_names, and synchronous_commit to on",
    };
  if (connectedStandbys === undefined)
    return {
      kind: "notice",
      about,
      message: `commits wait for ${standbys}; this user may not see whether it is connected. GRANT pg_monitor to it`,
    };
  if (connectedStandbys === 0)
    return {
      kind: "bad",
      about,
      message: `commits wait for ${standbys}, and no such standby is connected. Start one`,
    };
  return { kind: "good", about, message: `commits wait for a standby (${standbys}, ${commit})` };
}

function checksumFinding({ hasChecksums }: PrimaryFacts): DoctorFinding {
  const about = "Checksums";
  if (hasChecksums) return { kind: "good", about, message: "the database finds damaged pages by itself" };
  return {
    kind: "notice",
    about,
    message: "off: damaged pages are not noticed. Stop the database and run pg_checksums --enable on each server",
  };
}

function countingFinding({ oldestUncountedSeconds: seconds = 0 }: PrimaryFacts): DoctorFinding {
  const about = "Counters";
  if (seconds <= uncountedSeconds) return { kind: "good", about, message: "everything filed is counted" };
  return {
    kind: "bad",
    about,
    message: `the oldest batch has waited for ${Math.round(seconds)} s. Start a service or an application, or read its log`,
  };
}

function snapshotFinding({ oldestSnapshotSeconds: seconds = 0 }: PrimaryFacts): DoctorFinding {
  const about = "Transactions";
  if (seconds <= snapshotSeconds) return { kind: "good", about, message: "none is open for long" };
  return {
    kind: "notice",
    about,
    message: `one is open for ${Math.round(seconds / 60)} minutes, and deleted rows take up space until it ends. Find it in pg_stat_activity, by xact_start`,
  };
}

function connectionFinding({ connections: { used, most } }: PrimaryFacts, processes: number): DoctorFinding {
  const about = "Connections";
  const needed = processes * connectionsOfProcess;
  if (needed <= most)
    return { kind: "good", about, message: `${used} of ${most} in use, ${needed} are needed at most` };
  return {
    kind: "notice",
    about,
    message: `${most} are possible, and ${processes} processes may need ${needed}. Raise max_connections, or put pgbouncer in between`,
  };
}
