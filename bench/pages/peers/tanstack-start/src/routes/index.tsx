import { createFileRoute } from "@tanstack/react-router";
import { AppLink } from "../link";
import { Home } from "../shared/pages";

export const Route = createFileRoute("/")({ component: () => <Home Link={AppLink} /> });
