import { describe, expect, it } from "vitest";
import { qrCode, remainderOf } from "./qr-code.ts";
import { base32, codeOfStep, otpauthAddress, stepOfCode } from "./totp.ts";

const secret = Buffer.from("12345678901234567890");

describe("codes of an authenticator app", () => {
  // RFC 6238, appendix B.
  it.each([
    [59, "sha1", "94287082"],
    [1_111_111_109, "sha1", "07081804"],
    [1_111_111_111, "sha1", "14050471"],
    [1_234_567_890, "sha1", "89005924"],
    [2_000_000_000, "sha1", "69279037"],
    [20_000_000_000, "sha1", "65353130"],
    [59, "sha256", "46119246"],
    [20_000_000_000, "sha256", "77737706"],
    [59, "sha512", "90693936"],
    [20_000_000_000, "sha512", "47863826"],
  ])("at %i s by %s is %s", (seconds, hash, code) => {
    const keys = { sha1: secret, sha256: Buffer.from("12345678901234567890123456789012"), sha512: Buffer.alloc(64) };
    for (let at = 0; at < 64; at += 1) keys.sha512[at] = 0x30 + ((at + 1) % 10);
    expect(codeOfStep(keys[hash as keyof typeof keys], Math.floor(seconds / 30), 8, hash)).toBe(code);
  });

  it("a code counts for its own step, the one before and the one after", () => {
    const typed = codeOfStep(secret, 1_000);
    expect(typed).toMatch(/^\d{6}$/);
    for (const step of [999, 1_000, 1_001]) expect(stepOfCode(secret, typed, step * 30_000 + 7)).toBe(1_000);
    for (const step of [998, 1_002]) expect(stepOfCode(secret, typed, step * 30_000)).toBeUndefined();
  });

  it("the address of an account has its secret in base 32", () => {
    // RFC 4648, section 10, without padding.
    for (const [text, written] of [
      ["", ""],
      ["f", "MY"],
      ["fo", "MZXQ"],
      ["foo", "MZXW6"],
      ["foob", "MZXW6YQ"],
      ["fooba", "MZXW6YTB"],
      ["foobar", "MZXW6YTBOI"],
    ] as const)
      expect(base32(Buffer.from(text))).toBe(written);
    expect(otpauthAddress(secret, "ada+x@example.org", "Holdfast")).toBe(
      "otpauth://totp/Holdfast:ada%2Bx%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Holdfast",
    );
  });
});

describe("a QR code", () => {
  it("has the corrections of the standard's example", () => {
    const data = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17];
    expect(remainderOf(data, 10)).toEqual([196, 35, 39, 119, 235, 215, 231, 226, 93, 23]);
  });

  it("is read back as the text, with what it says about itself, in every size", () => {
    for (const length of [1, 14, 15, 42, 62, 84, 106, 122, 152, 180, 181, 213]) {
      const text = "otpauth://totp/Holdfast:".repeat(9).slice(0, length);
      const drawn = qrCode(text);
      if (drawn === undefined) throw new Error(`${length} bytes were not drawn.`);
      const version = (drawn.size - 17) / 4;
      expect(readBack(drawn.size, drawn.path), `version ${version}`).toBe(text);
    }
    expect(qrCode("x".repeat(213))?.size).toBe(57);
    expect(qrCode("x".repeat(214))).toBeUndefined();
  });
});

/** Reads a code without errors, as the standard says: format, mask, order of squares, blocks. */
function readBack(size: number, path: string): string {
  const dark = new Set(path.split("z").map((square) => /M(\d+) (\d+)/.exec(square)?.slice(1).join(" ")));
  const isDark = (x: number, y: number): boolean => dark.has(`${x} ${y}`);
  const version = (size - 17) / 4;
  const format = [0, 1, 2, 3, 4, 5, 7, 8]
    .map((y) => isDark(8, y))
    .concat([7, 5, 4, 3, 2, 1, 0].map((x) => isDark(x, 8)));
  expect(format.map(Number).reverse().join(""), "correction M, mask 0").toBe("101010000010010");
  if (version === 7) {
    const bits = Array.from({ length: 18 }, (_, bit) => Number(isDark(Math.floor(bit / 3), size - 11 + (bit % 3))));
    expect(bits.reverse().join("")).toBe("000111110010010100");
  }
  for (const [x, y] of [[0, 0] as const, [size - 7, 0] as const, [0, size - 7] as const]) {
    const rows = Array.from({ length: 7 }, (_, dy) =>
      Array.from({ length: 7 }, (_, dx) => Number(isDark(x + dx, y + dy))),
    );
    expect(rows.map((row) => row.join(""))).toEqual([
      "1111111",
      "1000001",
      "1011101",
      "1011101",
      "1011101",
      "1000001",
      "1111111",
    ]);
  }
  const centres = [[], [18], [22], [26], [30], [34], [22, 38], [24, 42], [26, 46], [28, 50]][version - 1] ?? [];
  const isPattern = (x: number, y: number): boolean => {
    const isCorner = (x < 9 && y < 9) || (x >= size - 8 && y < 9) || (x < 9 && y >= size - 8);
    const isVersion = version >= 7 && ((x >= size - 11 && y < 6) || (y >= size - 11 && x < 6));
    const places = [6, ...centres];
    const last = places.at(-1) ?? 6;
    const isAlignment =
      version > 1 &&
      places.some((cx) =>
        places.some((cy) => {
          const hidden = (cx === 6 && cy === 6) || (cx === 6 && cy === last) || (cx === last && cy === 6);
          return !hidden && Math.abs(cx - x) <= 2 && Math.abs(cy - y) <= 2;
        }),
      );
    return isCorner || isVersion || isAlignment || x === 6 || y === 6;
  };
  const bits: number[] = [];
  for (let column = size - 1, isUp = true; column > 0; column -= 2, isUp = !isUp) {
    if (column === 6) column = 5;
    for (let step = 0; step < size; step += 1)
      for (const x of [column, column - 1]) {
        const y = isUp ? size - 1 - step : step;
        if (!isPattern(x, y)) bits.push(Number(isDark(x, y) !== ((x + y) % 2 === 0)));
      }
  }
  const bytes = Array.from({ length: bits.length >> 3 }, (_, at) =>
    Number.parseInt(bits.slice(at * 8, at * 8 + 8).join(""), 2),
  );
  const [short, blocks, long] = [
    [16, 1, 0],
    [28, 1, 0],
    [44, 1, 0],
    [32, 2, 0],
    [43, 2, 0],
    [27, 4, 0],
    [31, 4, 0],
    [38, 2, 2],
    [36, 3, 2],
    [43, 4, 1],
  ][version - 1] as [number, number, number];
  const lists: number[][] = Array.from({ length: blocks + long }, () => []);
  let next = 0;
  for (let at = 0; at <= short; at += 1)
    for (const [index, list] of lists.entries()) if (at < short || index >= blocks) list.push(bytes[next++] ?? 0);
  const halves = lists.flat().flatMap((byte) => [byte >> 4, byte & 15]);
  expect(halves[0], "bytes").toBe(4);
  const counted = version < 10 ? 2 : 4;
  const length = Number.parseInt(
    halves
      .slice(1, 1 + counted)
      .map((half) => half.toString(16))
      .join(""),
    16,
  );
  const body = halves.slice(1 + counted, 1 + counted + 2 * length);
  return Buffer.from(body.map((half) => half.toString(16)).join(""), "hex").toString();
}
