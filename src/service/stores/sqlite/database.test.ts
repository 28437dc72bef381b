import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Database, isAboutTheDisk } from "./database.ts";

describe("a database file", () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-database-"));
    file = join(folder, "a.db");
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it("keeps its version and content if a migration fails in the middle, and is migrated if it succeeds", () => {
    const first = "CREATE TABLE a (n INTEGER)";
    const database = new Database(file, "write", [first]);
    database.run("INSERT INTO a VALUES (7)");
    database.close();
    expect(() => new Database(file, "write", [first, "ALTER TABLE a ADD COLUMN m; CREATE NONSENSE"])).toThrow();
    const same = new Database(file, "write", [first]);
    expect(same.all("SELECT * FROM a")).toEqual([{ n: 7 }]);
    same.close();
    const next = new Database(file, "write", [first, "ALTER TABLE a ADD COLUMN m INTEGER DEFAULT 8"]);
    expect(next.all("SELECT * FROM a")).toEqual([{ n: 7, m: 8 }]);
    next.close();
  });

  it("returns rows as objects or as arrays, up to a bound limit", () => {
    const database = new Database(file, "write", ["CREATE TABLE a (n, m)"]);
    for (const n of [1, 2, 3]) database.run("INSERT INTO a VALUES (?, ?)", n, n * 2);
    const sql = "SELECT n, m FROM a ORDER BY n LIMIT ?";
    expect(database.tuples(sql, 2)).toEqual([
      [1, 2],
      [2, 4],
    ]);
    expect(database.all(sql, 1)).toEqual([{ n: 1, m: 2 }]);
    expect(database.tuples("SELECT n FROM (SELECT n FROM a LIMIT ?2) WHERE n > ?1", 1, 3)).toEqual([[2], [3]]);
    database.close();
  });

  it("has no tables or all of them when it is new", () => {
    expect(() => new Database(file, "write", ["CREATE TABLE a (n)", "CREATE NONSENSE"])).toThrow();
    const database = new Database(file, "write", ["CREATE TABLE a (n)", "CREATE TABLE b (n)"]);
    expect(database.all("SELECT name FROM sqlite_schema")).toEqual([{ name: "a" }, { name: "b" }]);
    database.close();
  });

  it("explains what to do if it is missing, or older than its reader", () => {
    expect(() => new Database(file, "read", [])).toThrow(/no service has filed anything.*\[store-not-there\]/);
    new Database(file, "write", []).close();
    expect(() => new Database(file, "read", ["CREATE TABLE a (n)"])).toThrow(/\[store-not-there\]/);
    new Database(file, "write", ["CREATE TABLE a (n)"]).close();
    expect(() => new Database(file, "read", ["CREATE TABLE a (n)", "CREATE TABLE b (n)"])).toThrow(
      /Start the service once/,
    );
  });

  it("names the damaged file if it is no database any more", () => {
    writeFileSync(file, "what a disk made of it".repeat(1_000));
    for (const mode of ["read", "write"] as const)
      expect(() => new Database(file, mode, [])).toThrow(
        `${file} cannot be read as a database: file is not a database.`,
      );
  });

  it("caches a bounded number of prepared statements, however many queries there are", () => {
    const database = new Database(file, "write", ["CREATE TABLE a (n INTEGER)"]);
    for (let form = 0; form < 1_000; form += 1)
      expect(database.one(`SELECT ${form} AS form, ? AS n`, form)).toEqual({ form, n: form });
    expect(database.statements).toBeLessThanOrEqual(200);
    database.close();
  });

  it("rolls back a failed transaction", () => {
    const database = new Database(file, "write", ["CREATE TABLE a (n INTEGER UNIQUE)"]);
    expect(() =>
      database.transaction(() => {
        database.run("INSERT INTO a VALUES (1)");
        database.run("INSERT INTO a VALUES (1)");
      }),
    ).toThrow();
    expect(database.all("SELECT * FROM a")).toEqual([]);
    database.transaction(() => database.run("INSERT INTO a VALUES (2)"));
    expect(database.all("SELECT * FROM a")).toEqual([{ n: 2 }]);
    database.close();
  });

  it("distinguishes a full disk from a wrong value", () => {
    const database = new Database(file, "write", ["CREATE TABLE a (b BLOB UNIQUE)"]);
    database.all("PRAGMA max_page_count = 5");
    const errorOf = (work: () => void): unknown => {
      try {
        work();
      } catch (error) {
        return error;
      }
      return undefined;
    };
    const full = errorOf(() => database.transaction(() => database.run("INSERT INTO a VALUES (zeroblob(1000000))")));
    expect(String(full)).toContain("full");
    expect(isAboutTheDisk(full)).toBe(true);
    database.run("INSERT INTO a VALUES (x'01')");
    const doubled = errorOf(() => database.run("INSERT INTO a VALUES (x'01')"));
    expect(String(doubled)).toContain("UNIQUE");
    expect(isAboutTheDisk(doubled)).toBe(false);
    expect(database.all("SELECT length(b) AS bytes FROM a")).toEqual([{ bytes: 1 }]);
    database.close();
  });
});
