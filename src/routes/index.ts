export type { FolderEntry, RouteEntry, RouteTable, Segment } from "./route-table.ts";
