import { Box, Stack, Switch, Table, type TableProps, type TableTdProps, Text, Title } from "@mantine/core";
import { Fragment, type MouseEvent, type ReactNode, useEffect, useRef } from "react";
import { fetchMore } from "../api/asking.ts";
import { excerpt } from "../text/sentence.ts";
import { Action } from "./action.tsx";
import { Answered, type AnsweredProps } from "./answered.tsx";
import { FailureNotice } from "./failure-notice.tsx";
import { CutButton } from "./hint.tsx";
import { PageTitle, type PageTitleProps } from "./page-title.tsx";
import { ClockTime, dayOf } from "./relative-time.tsx";

interface ListProps<Row> extends Omit<AnsweredProps<readonly Row[]>, "data"> {
  readonly rows: readonly Row[] | undefined;
  /** Shown if there are no rows, and none on later pages either. */
  readonly empty: ReactNode;
}

/** The rows that were asked for, in whichever form, and a button for those of the next page. */
export function List<Row>({ query, rows, empty, children, ...props }: ListProps<Row>) {
  return (
    <>
      <Answered {...props} query={query} data={rows}>
        {(shown) => (shown.length > 0 ? children(shown) : !query.hasNextPage && empty)}
      </Answered>
      {query.hasNextPage && <ShowMore query={query} />}
    </>
  );
}

/** The button for the next page. If that cannot be had, the reason stands here, where the reader is. */
export function ShowMore({ query }: Pick<AnsweredProps<unknown>, "query">) {
  const { error, isFetching = false, isFetchingNextPage = false, isFetchNextPageError, fetchNextPage } = query;
  const more = () => fetchNextPage && fetchMore(isFetching, fetchNextPage);
  return (
    <Stack align="center">
      {isFetchNextPageError && <FailureNotice cause={error} />}
      <Action label="Show more" change={{ isPending: isFetchingNextPage, mutate: more }} />
    </Stack>
  );
}

/** A column, with the properties of its cells: their width, from which window on they are shown, and where their text stands. */
export interface Column<Row> extends Pick<TableTdProps, "w" | "visibleFrom" | "ta" | "c" | "className"> {
  readonly title: string;
  /** The text of the button that opens the row. It is cut to one line, unless it wraps. */
  readonly name?: (row: Row) => string;
  readonly wraps?: boolean;
  /** Below the name, in small. `hiddenFrom` is set if wider windows have a column for it. */
  readonly remark?: { readonly of: (row: Row) => ReactNode; readonly mono?: boolean; readonly hiddenFrom?: "sm" };
  /** The cell of a column that opens nothing. */
  readonly cell?: (row: Row) => ReactNode;
}

/** The column of a log's times; `visibleFrom` is null if narrow windows show it too. */
export function timeColumn<Row>(of: (row: Row) => string, w: number, visibleFrom: "sm" | null = "sm"): Column<Row> {
  const cell = (row: Row) => <ClockTime at={of(row)} />;
  return { title: "Time", w, visibleFrom: visibleFrom ?? undefined, ta: "end", c: "dimmed", cell };
}

interface DataTableProps<Row> extends Pick<TableProps, "className" | "layout" | "verticalSpacing" | "withTableBorder"> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** The id of a row to which links lead. */
  readonly idOf?: (row: Row) => string;
  /** The time of a row of a log. Above the rows of each day stands its date. */
  readonly timeOf?: (row: Row) => string;
  /** The width in pixels below which it scrolls sideways. */
  readonly minWidth?: number;
  /** Opens a row. Its own button does too, for the keyboard. */
  readonly onOpen?: (row: Row) => void;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, keyOf, idOf, timeOf, minWidth, onOpen, className, ...others } = props;
  // No wider than the columns of narrow windows: more of them would take their share of the width.
  const alwaysShown = columns.filter(({ visibleFrom }) => visibleFrom === undefined).length;
  const days = rows.map((row) => timeOf && dayOf(timeOf(row)));
  const table = (
    <Table {...others} aria-label={label} className={className} highlightOnHover={onOpen !== undefined}>
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ title, w, visibleFrom, ta }) => {
            const Cell = title === "" ? Table.Td : Table.Th;
            return (
              <Cell key={title} w={w} visibleFrom={visibleFrom} ta={ta}>
                {title}
              </Cell>
            );
          })}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row, index) => (
          <Fragment key={keyOf(row)}>
            {days[index] !== days[index - 1] && (
              <Table.Tr>
                <Table.Th colSpan={alwaysShown} scope="rowgroup" pt={14}>
                  {days[index]}
                </Table.Th>
              </Table.Tr>
            )}
            <Table.Tr
              id={idOf?.(row)}
              style={{ cursor: onOpen && "pointer" }}
              onClick={onOpen && ((event) => isOfRow(event) && onOpen(row))}
            >
              {columns.map(({ title, name, wraps, remark, cell, w: _, ...cellProps }) => (
                <Table.Td key={title} {...cellProps}>
                  {name && <RowName name={name(row)} wraps={wraps} onOpen={() => onOpen?.(row)} />}
                  {cell?.(row)}
                  {remark && (
                    <Text
                      component="div"
                      size="xs"
                      c="dimmed"
                      dir="auto"
                      translate={remark.mono ? "no" : undefined}
                      className={remark.mono ? "mono cut" : "breaks"}
                      hiddenFrom={remark.hiddenFrom}
                    >
                      {remark.of(row)}
                    </Text>
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          </Fragment>
        ))}
      </Table.Tbody>
    </Table>
  );
  if (minWidth === undefined) return table;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <div tabIndex={0} style={{ overflowX: "auto" }}>
      <Box miw={minWidth}>{table}</Box>
    </div>
  );
}

interface TableListProps<Row> extends Omit<ListProps<Row>, "children">, Omit<DataTableProps<Row>, "rows"> {
  /** Holds a live list while the pointer or the focus is in it. */
  readonly hold?: (holds: boolean) => void;
  /** The newest records while it is held. */
  readonly newest?: readonly Row[] | undefined;
}

export function TableList<Row>({ hold, newest = [], ...props }: TableListProps<Row>) {
  const { label, columns, keyOf, timeOf, onOpen, layout, verticalSpacing, ...list } = props;
  const table = useRef<HTMLDivElement>(null);
  const within = useRef({ pointer: false, focus: false });
  const note = (part: Partial<typeof within.current>) => {
    const before = within.current;
    const after = { ...before, ...part };
    within.current = after;
    if ((before.pointer || before.focus) !== (after.pointer || after.focus)) hold?.(after.pointer || after.focus);
  };
  const goesOnInFirst = useRef(false);
  const [first] = list.rows ?? [];
  useEffect(() => {
    if (first && goesOnInFirst.current) table.current?.querySelector<HTMLElement>(".row-link")?.focus();
    goesOnInFirst.current = false;
  }, [first]);
  const showAdded = ({ detail }: MouseEvent) => {
    // The button goes, and with it the focus, which no event tells. Who pressed it by a key goes on in the first row.
    goesOnInFirst.current = detail === 0;
    note({ focus: false });
    void list.query.refetch();
  };
  const shown = new Set(list.rows?.map(keyOf));
  const added = newest.filter((row) => !shown.has(keyOf(row))).length;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it takes no input, and only notes where the reader is
    <div
      ref={table}
      onPointerEnter={() => note({ pointer: true })}
      onPointerLeave={() => note({ pointer: false })}
      onFocus={() => note({ focus: true })}
      onBlur={({ currentTarget, relatedTarget }) => note({ focus: currentTarget.contains(relatedTarget) })}
    >
      {added > 0 && (
        <div className="added-rows">
          <Action
            label={`Show ${added}${added === newest.length && list.query.hasNextPage ? "+" : ""} new`}
            kind="main"
            size="compact-sm"
            onClick={showAdded}
          />
        </div>
      )}
      <List {...list}>
        {(rows) => <DataTable {...{ label, columns, rows, keyOf, timeOf, onOpen, layout, verticalSpacing }} />}
      </List>
    </div>
  );
}

interface RowNameProps {
  readonly name: string;
  readonly wraps?: boolean;
  readonly onOpen: () => void;
}

export function RowName({ name, wraps = false, onOpen }: RowNameProps) {
  const isBlank = name.trim() === "";
  const className = wraps ? "row-link" : "row-link cut";
  return (
    <CutButton translate={isBlank ? undefined : "no"} className={className} text={name} dir="auto" onClick={onOpen}>
      {isBlank ? (
        <Text span c="dimmed" fs="italic" inherit>
          (blank)
        </Text>
      ) : (
        excerpt(name)
      )}
    </CutButton>
  );
}

/** True for a click that neither a control of the row takes nor the end of a selected text. */
export function isOfRow({ target }: MouseEvent): boolean {
  const taken =
    target instanceof Element && target.closest("a, button, input, label, [role=menu], .mantine-Menu-dropdown");
  return !taken && getSelection()?.isCollapsed !== false;
}

/** Replaces an empty list: says what would be here, and the next step. */
export function EmptyState({ title, text, children }: PageTitleProps) {
  return (
    <Stack align="center" gap="sm" py="xl" ta="center">
      <Seedling />
      <Title order={2}>{title}</Title>
      <Text c="dimmed" maw={420} style={{ textWrap: "balance" }}>
        {text}
      </Text>
      {children}
    </Stack>
  );
}

function Seedling() {
  return (
    <svg width="96" height="96" viewBox="0 0 96 96" fill="none" aria-hidden="true">
      <path d="M48 62V36" stroke="#3f9c48" strokeWidth="3.5" strokeLinecap="round" />
      <path d="M48 46C48 34 39 26 24 26c0 12.5 9 20.5 24 20z" fill="#5cb560" />
      <path d="M48 37c0-13 8.5-21.5 25-22 0 14-9.5 22.5-25 22z" fill="#95ce98" />
      <path d="M29 60h38l-4.5 24a4 4 0 01-4 3.3H37.5a4 4 0 01-4-3.3z" fill="#c9825b" />
      <path
        d="M26 56.5A2.5 2.5 0 0128.5 54h39a2.5 2.5 0 012.5 2.5v4a2.5 2.5 0 01-2.5 2.5h-39a2.5 2.5 0 01-2.5-2.5z"
        fill="#b56d47"
      />
    </svg>
  );
}

interface LivePageProps extends PageTitleProps {
  readonly of: { readonly live: boolean; readonly setLive: (live: boolean) => void };
}

/** The page of a log, to which records are added while it is open. `children` are the filters and the list. */
export function LivePage({ title, text, of: { live, setLive }, children }: LivePageProps) {
  return (
    <>
      <PageTitle title={title} text={text}>
        <Switch label="Live" checked={live} onChange={({ currentTarget }) => setLive(currentTarget.checked)} />
      </PageTitle>
      <Stack className="panel wide" gap="sm">
        {children}
      </Stack>
    </>
  );
}
