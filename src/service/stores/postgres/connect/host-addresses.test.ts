import { describe, expect, it } from "vitest";
import { hostAddresses } from "./host-addresses.ts";

describe("the address of a PostgreSQL store", () => {
  it("names several hosts, each with its own port, as libpq writes it", () => {
    expect(hostAddresses("postgres://me:p%40ss@one:5433,two,[::1]:5435/shop?target_session_attrs=read-write")).toEqual([
      { name: "one:5433", address: "postgres://me:p%40ss@one:5433/shop" },
      { name: "two:5432", address: "postgres://me:p%40ss@two/shop" },
      { name: "[::1]:5435", address: "postgres://me:p%40ss@[::1]:5435/shop" },
    ]);
  });

  it("lists folders of sockets in a parameter, with one port for all or one for each", () => {
    const addresses = (query: string): string[] =>
      hostAddresses(`postgresql://me@localhost/shop?${query}`).map(({ address }) => address);
    expect(addresses("host=/run/a,/run/b&port=5433")).toEqual([
      "postgresql://me@localhost:5433/shop?host=%2Frun%2Fa",
      "postgresql://me@localhost:5433/shop?host=%2Frun%2Fb",
    ]);
    expect(hostAddresses("postgres://me@localhost:6432/shop?host=/run/a")[0]?.address).toBe(
      "postgres://me@localhost:6432/shop?host=%2Frun%2Fa",
    );
    expect(addresses("host=one,two&port=1,2")).toEqual(["postgresql://me@one:1/shop", "postgresql://me@two:2/shop"]);
  });

  it("means by sslmode what libpq means, and leaves other parameters as they are", () => {
    const [host] = hostAddresses("postgres://me@one/shop?sslmode=require&connect_timeout=3");
    expect(host?.address).toBe("postgres://me@one/shop?sslmode=require&connect_timeout=3&uselibpqcompat=true");
    const [other] = hostAddresses("postgres://me@one/shop?sslmode=no-verify");
    expect(other?.address).toBe("postgres://me@one/shop?sslmode=no-verify");
  });

  it("is refused when it is of something else or asks for a server that only reads, without its password", () => {
    for (const wrong of ["mysql://me:secret@one/shop", "postgres://me:secret@one/shop?target_session_attrs=standby"]) {
      expect(() => hostAddresses(wrong)).toThrow("[store-address-not-understood]");
      expect(() => hostAddresses(wrong)).not.toThrow("secret");
    }
  });
});
