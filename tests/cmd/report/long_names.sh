# SPDX-License-Identifier: MIT
# Kernels with names of 10,000 characters, two of which differ in the middle only: CSV has them whole, a
# table and the page a part of each; the page has one name for a kernel everywhere, and two for two.
. "$(dirname "$0")/database.inc"
sample run.db
name()
{
	python3 -c "print('void ' + 'n' * 5000 + '$1' + 'é' * 2500 + '()', end='')"
}
for id in 1 2; do
	sqlite3 run.db "UPDATE rocpd_info_kernel_symbol_t SET display_name = '$(name $id)' WHERE id = $id"
done
echo "== CSV"
probe-report kernels --format csv --no-header -f kernel run.db >names.csv
{ name 1; echo; name 2; echo; } | sort >wanted
tr -d '"' <names.csv | sort | cmp - wanted && echo "whole"
echo "== table: longest line"
probe-report kernels run.db | awk '{ if (length($0) > most) most = length($0) } END { print (most < 1000 ? "short" : most) }'
echo "== page"
probe-report export --format html -o page.html run.db
python3 - <<'END'
import base64, gzip, json, re
page = open("page.html").read()
data = json.loads(gzip.decompress(base64.b64decode(re.search('id="data">([^<]*)<', page).group(1))))
table = data["tables"]["kernels"]
at = [column["name"] for column in table["columns"]].index("kernel")
names = {row[at] for row in table["rows"]}
print(len(names), "kernels; the same names in dispatches:", names == {row[0] for row in data["dispatches"]})
for name in sorted(names):
    print(len(name.encode()), name[:8], re.search(r" \[\.\.\..*\.\.\.\] ", name).group(0), name[-4:])
END
