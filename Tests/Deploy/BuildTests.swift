import Foundation
import Testing

/// `deploy/lib/build.sh` and `deploy/lib/icu.sh`, each function called by itself.
@Suite("The programs of a release build")
struct BuildTests {
  @Test(
    "A program of a release build is stripped and can be run by all, whatever the umask, with its symbols beside it"
  )
  func stripped() async throws {
    try await withFolder { folder in
      let source = ".globl _start\n.type _start,@function\n_start: mov $60,%eax\nmov $7,%edi\nsyscall\nnamed: ret\n"
      try Data(source.utf8).write(to: URL(fileURLWithPath: "\(folder)/tool.s"))
      let made = try await call(
        """
        umask 077; cd \(folder); as -o tool.o tool.s; ld -o tool tool.o
        program_ready "$PWD/tool" "$PWD/programs"
        status=0; programs/tool || status=$?; echo "$status $(stat --format=%a programs/tool) $(stat --format=%a programs/tool.debug)"
        nm programs/tool 2>&1 | grep -c named || :
        nm programs/tool.debug | grep -c named
        objcopy --output-target=binary --only-section=.gnu_debuglink --set-section-flags .gnu_debuglink=alloc programs/tool link
        tr '\\0' '\\n' <link | head --lines=1
        """)
      #expect(made.status == 0, "\(made.errors)")
      #expect(made.output == "7 755 644\n0\n1\ntool.debug\n")

      // What is up to date is left as it is, and what runs keeps its file.
      let again = try await call(
        """
        cd \(folder); before=$(stat --format=%i programs/tool); program_ready "$PWD/tool" "$PWD/programs"
        [[ $(stat --format=%i programs/tool) == "$before" ]]; touch --date='1 hour' tool; program_ready "$PWD/tool" "$PWD/programs"
        [[ $(stat --format=%i programs/tool) != "$before" ]]
        """)
      #expect(again.status == 0, "\(again.errors)")
    }
  }

  @Test("A program of a release build can be prepared by two processes at once")
  func atOnce() async throws {
    try await withFolder { folder in
      let source = ".globl _start\n.type _start,@function\n_start: mov $60,%eax\nmov $7,%edi\nsyscall\n"
      try Data(source.utf8).write(to: URL(fileURLWithPath: "\(folder)/tool.s"))
      let made = try await call(
        """
        cd \(folder); as -o tool.o tool.s; ld -o tool tool.o
        # The first one is held within, until the second one has been through.
        objcopy() {
          if [[ -n ${held:-} ]]; then : >\(folder)/begun; until [[ -e \(folder)/ended ]]; do sleep 0.01; done; fi
          command objcopy "$@"
        }
        (cd \(folder); held=yes; program_ready "$PWD/tool" "$PWD/programs") & first=$!
        until [[ -e begun ]]; do sleep 0.01; done
        program_ready "$PWD/tool" "$PWD/programs"; : >ended
        wait "$first"
        status=0; programs/tool || status=$?; echo "$status $(ls --almost-all programs)"
        """)
      #expect(made.status == 0 && made.output == "7 tool\ntool.debug\n", "\(made.output)\(made.errors)")
    }
  }

  @Test("A cluster's programs are links to one program, which replace missing ones and former separate programs")
  func names() async throws {
    try await withFolder { folder in
      let made = try await call(
        """
        cd \(folder); printf '#!/bin/sh\necho "${0##*/}"\n' >"$programs_file"; chmod 755 "$programs_file"
        printf '#!/bin/sh\necho old\n' >social; chmod 755 social; touch social.debug; mkdir elsewhere; ln --symbolic elsewhere rewards
        for name in gateway social rewards; do program_name "$PWD" "$name"; "./$name"; done
        before=$(stat --format=%i gateway); program_name "$PWD" gateway; [[ $(stat --format=%i gateway) == "$before" ]]
        echo *
        """)
      #expect(
        made.status == 0
          && made.output == "gateway\nsocial\nrewards\nelsewhere gateway racha-programs rewards social\n",
        "\(made.output)\(made.errors)")
    }
  }

  @Test("A release build prints its progress in a few lines; the rest goes to the log, and is shown if the build fails")
  func progress() async throws {
    try await withFolder { folder in
      let commands = """
        root=\(folder); mkdir -p \(folder)/.build; : >"$(build_log)"
        swift() { echo '[1/20] Compiling one'; echo '/a.swift:1:2: error: no such thing'; echo '   |  import it'; return $fails; }
        """
      let failed = try await call("\(commands)\nfails=1; build_shown --product one || echo failed")
      #expect(failed.status == 0 && failed.output == "failed\n")
      #expect(
        failed.errors
          == "/a.swift:1:2: error: no such thing\n   |  import it\nThe whole output of the build: \(folder)/.build/build.log\n")
      let built = try await call("\(commands)\nfails=0; build_shown --product one; cat \(folder)/.build/build.log")
      #expect(built.errors == "Built in 0:00 min\n")
      #expect(built.output.hasPrefix("[1/20] Compiling one\n"))
    }
  }

  @Test(
    "A release is built first, and again if a source, the compiler or the result changed; the first build is announced",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/objcopy")))
  func current() async throws {
    try await withFolder { folder in
      let built = try await call(
        """
        root=\(folder) swift_version='Swift version 6.3.1'; cd \(folder)
        mkdir -p Services/Social Shared deploy/Admin deploy/Programs deploy/lib .build/release
        touch Package.swift Services/Social/Friends.swift deploy/lib/build.sh deploy/lib/compile-once deploy/lib/icu.sh
        swift() {
          [[ $1 == build ]] || return 1
          touch Package.resolved
          [[ -e .build/release/$programs_file ]] || cp /bin/true ".build/release/$programs_file"
        }
        nproc() { echo 2; }
        look() { printf '%s: ' "$1"; if build_current 2>&1 | grep --extended-regexp --only-matching 'first time|has changed'; then :; else echo no; fi; }
        look first; look second
        echo x >Services/Social/Friends.swift; look changed; look since
        rm Services/Social/Friends.swift; look removed; touch --date='1 hour ago' deploy/Admin/Keys.swift; look added; look since
        rm .build/programs/social; look lost; readlink .build/programs/social; swift_version='Swift version 6.4'; look compiler; look since
        """)
      #expect(
        built.output == """
          first: first time
          second: no
          changed: has changed
          since: no
          removed: has changed
          added: has changed
          since: no
          lost: has changed
          racha-programs
          compiler: first time
          since: no

          """, "\(built.errors)")
    }
  }

  @Test(
    "A release build contains only the ICU data that is used, unchanged, which is at most a tenth of it",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/as")))
  func internationalization() async throws {
    try await withFolder { folder in
      let made = try await call(
        """
        object=$(icu_object \(folder)/icu); icu_symbol "$object"
        objcopy --output-target=binary --only-section='.rodata*' "$object" \(folder)/kept
        cd \(folder); said=$(swift -static-stdlib -print-target-info); [[ $said =~ \\"runtimeResourcePath\\":\\ *\\"([^\\"]+)\\" ]]
        ar x "${BASH_REMATCH[1]}/linux/lib_FoundationICU.a" icu_packaged_data.cpp.o
        objcopy --output-target=binary --only-section=.rodata icu_packaged_data.cpp.o all
        """)
      #expect(made.status == 0, "\(made.errors)")
      #expect(made.output.wholeMatch(of: /icudt[0-9]+_dat/) != nil)
      let all = try items("\(folder)/all")
      let kept = try items("\(folder)/kept")
      #expect(kept.bytes * 10 < all.bytes)
      // ICU looks names up by halving.
      #expect(kept.names == kept.names.sorted())
      for name in kept.names {
        let original = try #require(all.items[name])
        // The last bytes are the padding up to the next item.
        #expect(
          try #require(kept.items[name]).starts(with: original) || original.starts(with: try #require(kept.items[name])),
          "\(name)")
      }
      for name in ["zoneinfo64.res", "nfkc.nrm", "uts46.nrm", "root.res", "en.res", "es.res"] {
        #expect(kept.names.contains { $0.hasSuffix("/\(name)") }, "\(name)")
      }
    }
  }

  /// The items of data in ICU's common format.
  private func items(_ path: String) throws -> (bytes: Int, names: [String], items: [String: Data]) {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    func number(_ at: Int, _ size: Int) -> Int { (0..<size).reduce(0) { $0 | Int(data[at + $1]) << (8 * $1) } }
    let table = number(0, 2)
    let count = number(table, 4)
    var names: [String] = []
    var items: [String: Data] = [:]
    for index in 0..<count {
      let name = table + number(table + 4 + 8 * index, 4)
      let text = String(decoding: data[name...].prefix { $0 != 0 }, as: UTF8.self)
      let begin = table + number(table + 8 + 8 * index, 4)
      let end = index + 1 < count ? table + number(table + 16 + 8 * index, 4) : data.count
      names.append(text)
      items[text] = data[begin..<end]
    }
    return (data.count, names, items)
  }

  private func call(_ command: String) async throws -> Launcher.Outcome {
    let root = Launcher.package
    return try await Launcher.bash(
      "/bin/bash",
      [
        "-euo", "pipefail", "-c",
        "root=\(root); for part in common processes packages build icu; do source \(root)/deploy/lib/$part.sh; done; \(command)",
      ])
  }

  private func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = "/tmp/racha-build-\(UInt32.random(in: .min ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
  }
}
