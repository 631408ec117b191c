# shellcheck shell=bash
# The data of ICU that release builds link. Foundation's archive holds 34 MB of it for each program, nearly all of it about languages, scripts and
# character sets that no service asks for.
#
# The data is one file in ICU's common format: a header, its size in the first two bytes; the number of items; of each item where its name
# and where its bytes begin, counted from behind the header; the names, each ended by a zero byte, sorted; the bytes. Less data is the same with
# fewer items. Programs find it by one symbol, which the linker is made to take from here (`--wrap`); what nobody asks for it leaves out, so
# the whole data. ICU answers from `root` what it has no data for, as on a system that was installed with fewer languages.

# What is kept: zones of time; normal forms of texts and internationalised host names; where letters and words end; what ICU reads for dates
# and numbers whatever the language; English, Spanish and what all languages share.
icu_kept() { # NAME, without the folder of the release
  case $1 in
    zoneinfo64.res | timezoneTypes.res | metaZones.res | windowsZones.res | keyTypeData.res) ;;
    zone/root.res | zone/pool.res | zone/res_index.res | zone/tzdbNames.res | zone/en.res | zone/es.res) ;;
    nfkc.nrm | nfkc_cf.nrm | nfkc_scf.nrm | uts46.nrm) ;;
    brkitr/root.res | brkitr/res_index.res | brkitr/char.brk | brkitr/word.brk) ;;
    icuver.res | icustd.res | supplementalData.res | likelySubtags.res | langInfo.res | metadata.res | numberingSystems.res) ;;
    plurals.res | pluralRanges.res | dayPeriods.res | cnvalias.icu) ;;
    curr/root.res | curr/pool.res | curr/res_index.res | curr/supplementalData.res | curr/en.res | curr/es.res | currencyNumericCodes.res) ;;
    root.res | pool.res | res_index.res | en.res | en_US.res | en_US_POSIX.res | es.res | es_ES.res) ;;
    *) return 1 ;;
  esac
}

# icu_items DATA: a line for each kept item: its name, the offset of its bytes in DATA, their number. Fails where DATA is not as described above.
icu_items() {
  local data=$1 size header count names name begin end i=0
  local -a table entry
  size=$(stat --format=%s -- "$data")
  header=$(($(od -A n -t u2 -N 2 -- "$data")))
  [[ $(od -A n -t x1 -j 2 -N 2 -- "$data") == ' da 27' ]] || return 1
  count=$(($(od -A n -t u4 -j "$header" -N 4 -- "$data")))
  ((count > 0 && count < 100000)) || return 1
  mapfile -t table < <(od -A n -v -t u4 -w8 -j $((header + 4)) -N $((8 * count)) -- "$data")
  ((${#table[@]} == count)) || return 1
  names=$((4 + 8 * count))
  # The names stand one behind the other, in the order of the table, and so do the bytes.
  while ((i < count)) && IFS= read -rd '' name; do
    read -ra entry <<<"${table[i]}"
    ((entry[0] == names)) || return 1
    begin=$((header + entry[1]))
    names=$((names + ${#name} + 1)) i=$((i + 1)) end=$size
    icu_kept "${name#*/}" || continue
    if ((i < count)); then
      read -ra entry <<<"${table[i]}"
      end=$((header + entry[1]))
    fi
    ((begin < end && end <= size)) || return 1
    printf '%s %d %d\n' "$name" "$begin" $((end - begin))
  done < <(tail --bytes=+$((header + names + 1)) -- "$data")
  ((i == count))
}

# icu_source DATA SYMBOL: the kept items as assembler's text, under the name by which the linker finds what it wraps.
icu_source() {
  local data=$1 symbol=__wrap_$2 i=0 name begin size header lines
  local -a item
  header=$(($(od -A n -t u2 -N 2 -- "$data")))
  lines=$(icu_items "$data") || return 1
  local -a items
  mapfile -t items <<<"$lines"
  printf '.section .rodata.%s,"a",@progbits\n.balign 16\n.globl %s\n.type %s,@object\n%s:\n' "$symbol" "$symbol" "$symbol" "$symbol"
  printf '.incbin "%s",0,%d\n' "$data" "$header"
  printf 'table:\n.long %d\n' "${#items[@]}"
  for i in "${!items[@]}"; do printf '.long name%d-table,bytes%d-table\n' "$i" "$i"; done
  for i in "${!items[@]}"; do printf 'name%d: .asciz "%s"\n' "$i" "${items[i]%% *}"; done
  for i in "${!items[@]}"; do
    read -ra item <<<"${items[i]}"
    printf '.balign 16\nbytes%d: .incbin "%s",%d,%d\n' "$i" "$data" "${item[1]}" "${item[2]}"
  done
  printf '.size %s,.-%s\n.section .note.GNU-stack,"",@progbits\n' "$symbol" "$symbol"
}

# The symbol that an object made here stands for.
icu_symbol() { # OBJECT
  local symbol
  symbol=$(nm --defined-only --extern-only --format=posix -- "$1") || return 1
  symbol=${symbol%% *}
  printf '%s' "${symbol#__wrap_}"
}

# icu_object FOLDER: makes FOLDER/icu-data.o from the data of the Swift in use, unless it is there, and prints its path. Fails where that Swift
# keeps its data otherwise.
icu_object() {
  local folder=$1 said resources archive member=icu_packaged_data.cpp.o symbol
  local LC_ALL=C
  said=$(swift -static-stdlib -print-target-info 2>/dev/null </dev/null) || return 1
  [[ $said =~ \"runtimeResourcePath\":\ *\"([^\"]+)\" ]] || return 1
  resources=${BASH_REMATCH[1]}
  archive=$resources/linux/lib_FoundationICU.a
  [[ -r $archive ]] || return 1
  # Made anew for another Swift, and when what is kept is another.
  if [[ ! -s $folder/icu-data.o || $folder/icu-data.o -ot $archive || $folder/icu-data.o -ot ${BASH_SOURCE[0]} ]]; then
    rm -rf -- "$folder"
    mkdir -p -- "$folder" || return 1
    (cd -- "$folder" && ar x "$archive" "$member") 2>/dev/null || return 1
    symbol=$(icu_symbol "$folder/$member") || return 1
    [[ $symbol =~ ^icudt[0-9]+_dat$ ]] || return 1
    objcopy --output-target=binary --only-section=.rodata -- "$folder/$member" "$folder/all.dat" || return 1
    icu_source "$folder/all.dat" "$symbol" >"$folder/icu-data.s" || return 1
    as -o "$folder/icu-data.new" "$folder/icu-data.s" || return 1
    rm -f -- "$folder/$member" "$folder/all.dat"
    mv -- "$folder/icu-data.new" "$folder/icu-data.o"
  fi
  printf '%s' "$folder/icu-data.o"
}
