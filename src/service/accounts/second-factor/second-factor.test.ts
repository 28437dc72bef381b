import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Rows } from "../../rows/rows.ts";
import { Accounts } from "../accounts.ts";
import type { Applicant } from "../applicant.ts";
import { accountLimits } from "../limits.ts";
import { openDatabase } from "../open-database.ts";
import { RefusalLog } from "../refusal-log.ts";
import { codeOfStep } from "./totp.ts";

const here: Applicant = { address: "192.0.2.1" };
const password = "correct horse battery";
const email = "ada@example.org";
const limits = { ...accountLimits, passwordCost: { N: 16, r: 8, p: 1 } };

describe("a second factor", () => {
  let folder: string;
  let rows: Rows;
  let now = 1_800_000_000_000;
  let keys = [Buffer.alloc(32, 1)];
  let accounts: Accounts;
  const clock = { now: () => now, elapsed: () => now };

  function open(secondFactor: "optional" | "required" = "optional"): void {
    accounts = new Accounts(rows, clock, limits, {
      signIn: { passwords: true, secondFactor },
      sealKeys: async () => keys,
    });
  }

  beforeEach(async () => {
    keys = [Buffer.alloc(32, 1)];
    folder = mkdtempSync(join(tmpdir(), "holdfast-factor-"));
    rows = openDatabase(folder);
    open();
    await accounts.accept(await accounts.invites.create("owner", email), { email, password }, here);
  });

  afterEach(async () => {
    await rows.close();
    rmSync(folder, { recursive: true });
  });

  /** The code that an app with this key shows. */
  const codeOf = (key: string, ms = now): string => codeOfStep(fromBase32(key), Math.floor(ms / 30_000));

  async function enrol(): Promise<{ key: string; codes: readonly string[] }> {
    const { secret: key } = (await accounts.secondFactor.begin(email)) ?? { secret: "" };
    const done = await accounts.secondFactor.confirm(email, codeOf(key));
    if (done.kind !== "done") throw new Error(done.kind);
    now += 30_000;
    return { key, codes: done.recoveryCodes };
  }

  async function session(): Promise<string> {
    const answer = await accounts.signIn(email, password, here);
    if (answer.kind !== "signed-in") throw new Error(answer.kind);
    return answer.session;
  }

  async function ticket(): Promise<string> {
    const answer = await accounts.signIn(email, password, here);
    if (answer.kind !== "second-step") throw new Error(answer.kind);
    return answer.ticket;
  }

  it("a password alone opens nothing once it is on; a code does, once, and only with the password", async () => {
    expect(await accounts.signIn(email, password, here)).toMatchObject({ kind: "signed-in" });
    const { key } = await enrol();
    const first = await ticket();
    const code = codeOf(key);
    expect(await accounts.finishSignIn("another", code, here)).toEqual({ kind: "expired" });
    expect(await accounts.finishSignIn(first, "000000", here)).toEqual({ kind: "wrong" });
    const signedIn = await accounts.finishSignIn(first, code, here);
    if (signedIn.kind !== "signed-in") throw new Error(signedIn.kind);
    expect(await accounts.sessions.personOf(signedIn.session)).toEqual({ name: email, roles: "owner" });
    expect(await accounts.finishSignIn(first, code, here), "the same sign-in again").toEqual({ kind: "expired" });
    expect(await accounts.finishSignIn(await ticket(), code, here), "the same code again").toEqual({ kind: "wrong" });
    now += 30_000;
    const late = await ticket();
    now += 600_001;
    expect(await accounts.finishSignIn(late, codeOf(key), here)).toEqual({ kind: "expired" });
  });

  it("of two sign-ins at once with one code, one succeeds", async () => {
    const { key } = await enrol();
    const same = await ticket();
    const answers = await Promise.all([1, 2, 3].map(() => accounts.finishSignIn(same, codeOf(key), here)));
    expect(answers.filter(({ kind }) => kind === "signed-in")).toHaveLength(1);
  });

  it("a recovery code works once, in any spelling, also where the secret cannot be read", async () => {
    const { key, codes } = await enrol();
    expect(codes).toHaveLength(10);
    const [first = "", second = ""] = codes;
    keys = [Buffer.alloc(32, 2)];
    expect(await accounts.finishSignIn(await ticket(), codeOf(key), here)).toEqual({ kind: "unreadable" });
    const typed = first.toLowerCase().replaceAll("-", " ");
    expect(await accounts.finishSignIn(await ticket(), typed, here)).toMatchObject({ kind: "signed-in" });
    expect(await accounts.finishSignIn(await ticket(), first, here)).toEqual({ kind: "wrong" });
    expect(await accounts.secondFactor.state(email)).toEqual({ kind: "on", recoveryCodesLeft: 9 });
    const renewed = await accounts.secondFactor.renewCodes(email, second);
    expect(renewed).toMatchObject({ kind: "done" });
    expect(await accounts.finishSignIn(await ticket(), codes[2] ?? "", here), "an old one").toEqual({ kind: "wrong" });
    // A key of before still opens it.
    keys = [Buffer.alloc(32, 2), Buffer.alloc(32, 1)];
    expect(await accounts.finishSignIn(await ticket(), codeOf(key), here)).toMatchObject({ kind: "signed-in" });
  });

  it("guesses make the account wait, also with new sign-ins, and are in the log", async () => {
    const { key } = await enrol();
    const answers = [];
    for (let turn = 0; turn < 8; turn += 1) answers.push(await accounts.finishSignIn(await ticket(), "000000", here));
    expect(answers.filter(({ kind }) => kind === "wrong").length).toBeLessThanOrEqual(6);
    expect(answers.at(-1)).toMatchObject({ kind: "wait" });
    expect(await accounts.finishSignIn(await ticket(), codeOf(key), here), "the right one").toMatchObject({
      kind: "wait",
    });
    now += 900_000;
    expect(await accounts.finishSignIn(await ticket(), codeOf(key), here)).toMatchObject({ kind: "signed-in" });
    const [line] = await new RefusalLog(rows, clock).recent(1, 1);
    expect(line).toMatchObject({ who: email, why: "wrong code of the second factor" });
  });

  it("neither secret nor recovery code is in the file, and a sealed secret does not fit another account", async () => {
    const { key, codes } = await enrol();
    const kept = ["accounts.db", "accounts.db-wal"].map((file) => readFileSync(join(folder, file), "latin1")).join("");
    for (const text of [
      key,
      fromBase32(key).toString("latin1"),
      ...codes,
      ...codes.map((one) => one.replaceAll("-", "")),
    ])
      expect(kept).not.toContain(text);
    const eve = "eve@example.org";
    await accounts.accept(await accounts.invites.create("owner", eve), { email: eve, password }, here);
    await rows.run(
      `INSERT INTO holdfast.totp (email, secret, step, confirmed)
       SELECT '${eve}', secret, 0, 1 FROM holdfast.totp WHERE email = $1`,
      email,
    );
    expect(await accounts.secondFactor.verify(eve, codeOf(key))).toEqual({ kind: "unreadable" });
  });

  it("a session from before it was required opens nothing until it is set up, and neither do the others then", async () => {
    const [before, other] = [await session(), await session()];
    open("required");
    expect(await accounts.sessions.personOf(before)).toBeUndefined();
    expect(await accounts.sessions.lacksSecondFactor(before)).toBe(true);
    expect(await accounts.sessions.lacksSecondFactor("unknown")).toBe(false);
    const byProvider = await accounts.sessions.begin(email, here, now + 60_000);
    expect(await accounts.sessions.personOf(byProvider), "by the provider").toMatchObject({ name: email });
    const pending = await ticket();
    const { secret: key = "" } = (await accounts.secondFactor.begin(email)) ?? {};
    const done = await accounts.finishSignIn(pending, codeOf(key), here);
    if (done.kind !== "signed-in") throw new Error(done.kind);
    expect(await accounts.sessions.personOf(done.session)).toMatchObject({ name: email });
    expect(await accounts.sessions.personOf(other), "never had a second factor").toBeUndefined();
    await accounts.secondFactor.reset(email);
    expect(await accounts.sessions.personOf(done.session), "its second factor was taken away").toBeUndefined();
  });

  it("where it is required, a person without one sets it up before the first session, also after an invite", async () => {
    open("required");
    const begun = await ticket();
    expect(await accounts.pendingSignIn(begun)).toMatchObject({ kind: "enrol", email });
    const { secret: key } = (await accounts.secondFactor.begin(email)) ?? { secret: "" };
    expect((await accounts.secondFactor.begin(email))?.secret, "the page again").toBe(key);
    const done = await accounts.finishSignIn(begun, codeOf(key), here);
    expect(done).toMatchObject({ kind: "signed-in", recoveryCodes: { length: 10 } });
    expect(await accounts.pendingSignIn(await ticket())).toEqual({ kind: "code", email });
    const link = await accounts.invites.create("viewer", "eve@example.org");
    expect(await accounts.accept(link, { email: "", password }, here)).toMatchObject({ kind: "second-step" });
    now += 30_000;
    expect(await accounts.secondFactor.turnOff(email, codeOf(key))).toEqual({ kind: "required" });
  });

  it("it is turned off with a code, or by the operator; a new password ends sign-ins that wait for a code", async () => {
    const { key } = await enrol();
    expect(await accounts.secondFactor.begin(email), "an app that is set up").toBeUndefined();
    expect(await accounts.secondFactor.turnOff(email, "000000")).toEqual({ kind: "wrong" });
    expect(await accounts.secondFactor.turnOff(email, codeOf(key))).toEqual({ kind: "done" });
    expect(await accounts.signIn(email, password, here)).toMatchObject({ kind: "signed-in" });
    await enrol();
    const waiting = await ticket();
    await accounts.own.changePassword(email, { old: password, wanted: "another horse battery" }, here);
    expect(await accounts.pendingSignIn(waiting)).toBeUndefined();
    expect(await accounts.secondFactor.reset(email)).toBe(true);
    expect(await accounts.secondFactor.reset(email)).toBe(false);
    expect(await accounts.signIn(email, "another horse battery", here)).toMatchObject({ kind: "signed-in" });
  });
});

function fromBase32(text: string): Buffer {
  const bits = [...text].map((char) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(char).toString(2).padStart(5, "0"));
  return Buffer.from((bits.join("").match(/\d{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
