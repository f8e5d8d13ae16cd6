#!/usr/bin/env bash
# Brings po/zh_CN.po up to date with the texts in src/: adds new ones without a translation, and removes those that are gone.
#
#   scripts/translations.sh             writes po/zh_CN.po; what has no translation yet stays empty
#   scripts/translations.sh --check     changes nothing; fails unless the catalogue is up to date and complete
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

check=false
case "${1:-}" in
  --check) check=true ;;
  "") ;;
  *) die "'$1' is not an option; allowed: --check" ;;
esac
catalogue=po/zh_CN.po
cd "$root"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

find src -name '*.cpp' -o -name '*.h' -o -name '*.cu' | LC_ALL=C sort >"$folder/sources"
# The keywords that mark a text: base/translate.h, and html_text.h for the HTML page.
xgettext --files-from="$folder/sources" --language=C++ --from-code=UTF-8 --keyword --keyword=tr --keyword=N_ \
  --keyword=words --keyword=sentence --add-location=file --width=120 --package-name=lanescope --force-po \
  --output="$folder/lanescope.pot"
# Profiles and recorded runs have titles and summaries in their files.
sed -nE 's/^(title|summary) = (".*")$/N_(\2)/p' assets/profiles/*.toml assets/captures/captures.toml >"$folder/assets.toml"
(cd "$folder" && xgettext --join-existing --language=C++ --from-code=UTF-8 --keyword=N_ --add-location=file \
  --width=120 --output=lanescope.pot assets.toml)
# Our placeholders are checked by check_translations.py; what gettext takes them for depends on its version.
sed -i -e '/^#,/{s/ c\(++\)\?-format,\?//g; /^#,$/d}' -e '/^"POT-Creation-Date:/d' "$folder/lanescope.pot"

msgmerge --quiet --no-fuzzy-matching --add-location=file --width=120 "$catalogue" "$folder/lanescope.pot" \
  --output-file="$folder/merged.po"
{
  cat <<'HEADER'
# Chinese texts of Lanescope; scripts/translations.sh keeps this up to date with the sources.
msgid ""
msgstr ""
"Project-Id-Version: lanescope\n"
"Language: zh_CN\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"

HEADER
  # All entries after the header, without obsolete ones.
  msgattrib --no-obsolete --add-location=file --width=120 "$folder/merged.po" | awk 'past { print } /^$/ { past = 1 }'
} >"$folder/new.po"

if $check; then
  status=0
  python3 scripts/check_translations.py "$folder/new.po" || status=1
  # Where lines are broken depends on gettext's version, too.
  for file in "$folder/new.po" "$catalogue"; do msgcat --no-wrap "$file" >"$folder/${file##*/}.unwrapped"; done
  if ! cmp --silent "$folder/new.po.unwrapped" "$folder/${catalogue##*/}.unwrapped"; then
    say "$catalogue is not up to date with the sources; run scripts/translations.sh"
    status=1
  fi
  exit "$status"
fi
cp "$folder/new.po" "$catalogue"
msgfmt --statistics --output-file=/dev/null "$catalogue"
