<?php
function stop(string $why): never {
    fwrite(STDERR, "$why\n");
    exit(1);
}

function ask(string $method, string $path, array $headers = [], string $body = ''): string {
    $headers[] = 'Authorization: Bearer ' . getenv('PLANTSTORE_TOKEN');
    $http = ['method' => $method, 'header' => $headers, 'content' => $body, 'ignore_errors' => true, 'timeout' => 600];
    $answer = @file_get_contents(getenv('PLANTSTORE_URL') . '/v1/plants' . $path, false, stream_context_create(['http' => $http]));
    if ($answer === false) stop("$path failed: no answer; run it again");
    if (!preg_match('~^HTTP/\S+ 2~', $http_response_header[0])) stop("$path failed: $answer");
    return $answer;
}

function send(string $path, string $type, string $body): object {
    $answer = json_decode(ask('POST', $path, ["Content-Type: $type"], $body));
    if ($answer->failed > 0) stop("$answer->failed refused, the first since: {$answer->errors[0]->message}");
    return $answer;
}

$list = file_get_contents('products.csv');
$rows = fopen('php://temp', 'r+');
fwrite($rows, preg_replace('/^\xEF\xBB\xBF/', '', $list)); // the byte order mark, with which Excel begins a file
rewind($rows);
$place = array_search('id', fgetcsv($rows, null, ',', '"', '') ?: [], true);
if ($place === false) stop('The first line of products.csv must have the column id');
$wanted = [];
while ($row = fgetcsv($rows, null, ',', '"', '')) {
    if (implode('', $row) === '') continue; // an empty line
    $cell = $row[$place] ?? '';
    $id = filter_var($cell, FILTER_VALIDATE_INT);
    if ($id === false) stop("products.csv has an id that is no number: $cell");
    if (isset($wanted[$id])) stop("The id $id is there twice in products.csv");
    $wanted[$id] = true;
}
if (!$wanted) stop('products.csv is empty');
$lines = explode("\n", ask('GET', '/export', ['Accept: application/x-ndjson']));
$there = array_column(array_map('json_decode', $lines), 'id');
$gone = array_filter($there, fn (int $id) => !isset($wanted[$id]));
$tried = send('/import?existing=update&dry_run=true', 'text/csv', $list);
if ($tried->created + $tried->updated + $tried->unchanged !== count($wanted)) stop('The service reads products.csv otherwise');
$max = getenv('REMOVE_MAX');
$max = is_numeric($max) ? (int) $max : max(10, intdiv(count($there), 10));
$count = count($gone);
if ($count > $max) stop("$count plants would be removed; if that is right, set REMOVE_MAX=$count");
$done = send('/import?existing=update', 'text/csv', $list);
$removed = send('/remove', 'application/x-ndjson', implode("\n", $gone));
echo "$done->created created, $done->updated updated, $removed->removed removed\n";
