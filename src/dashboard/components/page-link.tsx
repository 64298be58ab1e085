import { Anchor, type AnchorProps } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { rightOf } from "../program/pages.ts";
import { useMay } from "../session/session.ts";

/** A link to another page of the dashboard, which stays in this document. No link for a reader whose role lacks the page. */
export function PageLink(props: AnchorProps & { readonly href: string; readonly children: ReactNode }) {
  const may = useMay();
  return may(rightOf(props.href)) ? <Anchor component={Link} {...props} /> : props.children;
}

/** One that stands alone, below what it leads on from. */
export function NextLink({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <PageLink href={href} fz="sm" className="link">
      {children}
    </PageLink>
  );
}
