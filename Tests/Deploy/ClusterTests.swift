import Foundation
import Glibc
import Testing

/// What starts clusters, one test after the other: a cluster is some thirty processes.
@Suite("Clusters", .serialized, .timeLimit(.minutes(2)))
enum Clusters {}

extension Clusters {
  /// Clusters of stand-ins, and one of the real executables.
  @Suite("A cluster on one machine")
  struct ClusterTests {
    @Test(
      "The launcher's up waits for all six and prints the addresses, status shows each process, and down leaves none"
    )
    func life() async throws {
      try await Launcher.with { launcher in
        let up = try await launcher.up()
        #expect(up.status == 0, "\(up.errors)")
        #expect(up.output.contains("http://127.0.0.1:\(launcher.httpPort)"))
        #expect(up.output.contains("127.0.0.1:\(launcher.tcpPort)"))

        let status = try await launcher.status()
        #expect(status.state == "ready")
        #expect(status.home == launcher.home)
        #expect(status.http == "http://127.0.0.1:\(launcher.httpPort)")
        #expect(status.tcp == "127.0.0.1:\(launcher.tcpPort)")
        #expect(status.readiness?.status == "ready")
        for service in status.services {
          #expect(service.running && service.restarts == 0, "\(service.name)")
          #expect(try launcher.processes().contains(#require(service.pid)))
          #expect(try #require(service.memoryBytes) > 0)
        }
        for folder in ["sockets", "keys"] {
          let attributes = try FileManager.default.attributesOfItem(atPath: "\(launcher.home)/\(folder)")
          #expect(attributes[.posixPermissions] as? Int == 0o700)
        }

        #expect(try await launcher.run("status").status == 0)
        try launcher.instruct("social", "full")
        let degraded = try await launcher.run("status")
        #expect(degraded.status == 1 && degraded.output.contains("Racha is degraded."))
        #expect(degraded.output.contains("social can read but refuses writes: the disk of its store is full"))
        #expect(!degraded.output.contains("identity reads but"))
        #expect(try await launcher.status().state == "degraded")
        #expect(try await launcher.run("down").status == 0)
        #expect(try launcher.processes().isEmpty)
        #expect(try launcher.sockets().isEmpty)
        #expect(try await launcher.run("status").status == 3)
        for service in Launcher.services {
          let log = try await launcher.run("logs", service).output
          #expect(log.contains("started") && log.contains("stopped"), "\(service) ended as it was asked to")
        }
      }
    }

    @Test("The launcher closes a home folder that others can write, and refuses one that belongs to somebody else")
    func foreignHome() async throws {
      try await Launcher.with { launcher in
        for folder in [launcher.home, "\(launcher.home)/keys", "\(launcher.home)/stores"] {
          try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
          #expect(chmod(folder, 0o777) == 0)
        }
        if geteuid() == 0 {
          for folder in [launcher.home, "\(launcher.home)/stores"] {
            #expect(chown(folder, 12345, 12345) == 0)
            let refused = try await launcher.up()
            #expect(refused.status == 1)
            #expect(refused.errors.contains("\(folder) belongs to"), "\(refused.errors)")
            #expect(chown(folder, geteuid(), getegid()) == 0)
          }
        }
        let up = try await launcher.up()
        #expect(up.status == 0, "\(up.errors)")
        for (folder, mode) in [("", 0o755), ("/keys", 0o700), ("/stores", 0o755), ("/logs", 0o700)] {
          let attributes = try FileManager.default.attributesOfItem(atPath: launcher.home + folder)
          #expect(attributes[.posixPermissions] as? Int == mode, "\(folder)")
        }
      }
    }

    @Test("The launcher restarts a service that crashes again and again, after growing delays, and the others go on")
    func restarts() async throws {
      try await Launcher.with { launcher in
        #expect(try await launcher.up().status == 0)
        let before = try await launcher.status()
        let log = try LogFollower(launcher, "social")
        _ = await log.next(holding: "\"started\"")
        var pids: Set<Int32> = []
        for delay in [100, 200, 400, 800] {
          let pid = try #require(try await launcher.status().pid("social"))
          pids.insert(pid)
          kill(pid, SIGKILL)
          let line = try #require(await log.next(holding: "started again"))
          #expect(line.contains("\"status\":137,\"delayMilliseconds\":\(delay),"))
          _ = await log.next(holding: "\"started\"")
        }
        #expect(pids.count == 4)
        let after = try await launcher.status()
        #expect(after.services.first { $0.name == "social" }?.restarts == 4)
        for service in Launcher.services where service != "social" { #expect(before.pid(service) == after.pid(service)) }
        #expect(after.state == "ready")
      }
    }

    @Test("The launcher's restart replaces one service, or all, without a delay")
    func restart() async throws {
      try await Launcher.with { launcher in
        #expect(try await launcher.up().status == 0)
        let first = try await launcher.status()
        #expect(try await launcher.run("restart", "rewards").status == 0)
        let second = try await launcher.status()
        for service in Launcher.services {
          #expect((first.pid(service) == second.pid(service)) == (service != "rewards"), "\(service)")
        }
        #expect(try await launcher.run("restart").status == 0)
        let third = try await launcher.status()
        for service in Launcher.services { #expect(second.pid(service) != third.pid(service), "\(service)") }
        #expect(third.state == "ready")
        #expect(!third.services.contains { $0.restarts != 0 })
      }
    }

    @Test("The launcher's restart of all services waits for each to be ready before it restarts the next")
    func oneByOne() async throws {
      try await Launcher.with { launcher in
        #expect(try await launcher.up().status == 0)
        let first = try await launcher.status()
        // The second in the order; the new process, that is.
        try launcher.instruct("identity", "mute")
        var impatient = launcher
        impatient.environment["RACHA_UP_SECONDS"] = "1"
        let restart = try await impatient.run("restart")
        #expect(restart.status == 1 && restart.errors.contains("not ready after the restart of identity"), "\(restart.errors)")
        let second = try await launcher.status()
        for service in Launcher.services {
          #expect((first.pid(service) == second.pid(service)) == !["gateway", "identity"].contains(service), "\(service)")
        }
      }
    }

    @Test(
      "The launcher restarts a service whose store became writable again, without counting it as a crash")
    func writableAgain() async throws {
      try await Launcher.with { launcher in
        #expect(try await launcher.up().status == 0)
        let before = try #require(try await launcher.status().pid("social"))
        let log = try LogFollower(launcher, "social")
        _ = await log.next(holding: "\"started\"")
        kill(before, SIGUSR1)
        let line = try #require(await log.next(holding: "\"keeper\""))
        #expect(line.contains("\"level\":\"notice\"") && line.contains("its store can be written again"), "\(line)")
        _ = await log.next(holding: "\"started\"")
        let after = try #require(try await launcher.status().services.first { $0.name == "social" })
        #expect(after.restarts == 0 && after.pid != before)
        // What counts, counts on.
        kill(try #require(after.pid), SIGKILL)
        _ = await log.next(holding: "ended unasked")
        _ = await log.next(holding: "\"started\"")
        #expect(try await launcher.status().services.first { $0.name == "social" }?.restarts == 1)
      }
    }

    @Test("The launcher's up prints why the mailbox is closed")
    func closedMailbox() async throws {
      try await Launcher.with { launcher in
        try launcher.instruct("gateway", "closed", "It's closed, since racha.publicUrl is elsewhere.")
        let up = try await launcher.up()
        let said = "  mails     It's closed, since racha.publicUrl is elsewhere.\n"
        #expect(up.status == 0 && up.output.contains(said), "\(up.output)")
      }
    }

    @Test("A second up of the launcher finds the running cluster; other ports for it are refused")
    func twice() async throws {
      try await Launcher.with { launcher in
        #expect(try await launcher.up().status == 0)
        let before = try await launcher.status()
        let again = try await launcher.run("up")
        #expect(again.status == 0)
        #expect(again.output.contains("already runs") && again.output.contains(":\(launcher.httpPort)"))
        let moved = try await launcher.run("up", "--http", "\(try Launcher.freePorts(1)[0])")
        #expect(moved.status == 1)
        #expect(moved.errors.contains("HTTP on port \(launcher.httpPort)"))
        let mistyped = try await launcher.run("up", "--http", "abc")
        #expect(mistyped.status == 2)
        #expect(mistyped.errors.contains("--http must be a port from 1 to 65535, not \"abc\""))
        let after = try await launcher.status()
        #expect(before.services.map(\.pid) == after.services.map(\.pid))
      }
    }

    @Test("If two launchers start one home at once, one starts it and the other finds it running")
    func race() async throws {
      try await Launcher.with { launcher in
        async let one = launcher.up()
        async let other = launcher.up()
        let both = try await [one, other]
        #expect(both.map(\.status) == [0, 0], "\(both.map(\.errors))")
        #expect(both.filter { $0.output.contains("already runs") }.count == 1)
        #expect(try launcher.standIns().count == 6)
      }
    }

    @Test("The launcher's up waits as long as a service makes progress, which it prints, and gives up once none does")
    func advancing() async throws {
      try await Launcher.with { launcher in
        #expect(try await launcher.up().status == 0)
        var impatient = launcher
        impatient.environment["RACHA_UP_SECONDS"] = "2"
        // As many questions as take longer than that.
        try launcher.instruct("rewards", "behind", "30 30")
        let begin = ContinuousClock.now
        let up = try await impatient.up()
        #expect(up.status == 0, "\(up.errors)")
        #expect(ContinuousClock.now - begin > .seconds(2), "it waited longer than it would have without an advance")
        #expect(up.errors.contains(/rewards has taken in \d+ of 30 events of identity/), "\(up.errors)")

        try launcher.instruct("rewards", "behind", "5 30")
        let stuck = try await impatient.up()
        #expect(stuck.status == 1 && stuck.errors.contains("no progress for 2 s"), "\(stuck.errors)")
        #expect(stuck.errors.contains(#""done":5,"total":30"#), "\(stuck.errors)")
      }
    }

    @Test("The launcher's up waits while a service works at migrating its store, which it prints, and gives up once it does not")
    func migrating() async throws {
      try await Launcher.with { launcher in
        var impatient = launcher
        impatient.environment["RACHA_UP_SECONDS"] = "2"
        try launcher.instruct("social", "migrates", "5 5")
        let up = try await impatient.up()
        #expect(up.status == 0, "\(up.errors)")
        #expect(up.errors.contains("social is migrating its store: 2 of 2, more"), "\(up.errors)")

        #expect(try await launcher.run("down").status == 0)
        try launcher.instruct("social", "migrates", "0.5 60")
        let stuck = try await impatient.up()
        #expect(stuck.status == 1 && stuck.errors.contains("no progress for 2 s"), "\(stuck.errors)")
      }
    }

    @Test("Two clusters with two homes run side by side")
    func sideBySide() async throws {
      try await Launcher.with { one in
        try await Launcher.with { other in
          let ups = try await [one.up(), other.up()]
          #expect(ups.map(\.status) == [0, 0])
          let down = try await one.run("down")
          #expect(down.status == 0)
          let left = try (await other.status().state, one.processes())
          #expect(left.0 == "ready" && left.1.isEmpty)
        }
      }
    }

    @Test("The launcher names a port that is taken, and starts nothing", arguments: ["http", "tcp"])
    func takenPort(option: String) async throws {
      try await Launcher.with { launcher in
        let listener = try Listener()
        let free = try Launcher.freePorts(1)[0]
        let ports = option == "http" ? (listener.port, free) : (free, listener.port)
        let up = try await launcher.run("up", "--http", "\(ports.0)", "--tcp", "\(ports.1)")
        #expect(up.status == 1)
        #expect(up.errors.contains("port \(listener.port) is taken by another program"))
        #expect(up.errors.contains("--\(option) PORT"))
        #expect(try launcher.processes().isEmpty)
      }
    }

    @Test("The launcher names a service that cannot start, with its last words, and leaves nothing running")
    func failingStart() async throws {
      try await Launcher.with { launcher in
        try launcher.instruct("rewards", "fails")
        try FileManager.default.createDirectory(atPath: "\(launcher.home)/logs", withIntermediateDirectories: true)
        try Data("a line of an earlier start\n".utf8).write(to: URL(fileURLWithPath: "\(launcher.home)/logs/rewards.log"))
        let up = try await launcher.up()
        #expect(up.status == 1)
        #expect(up.errors.contains("rewards does not stay up"))
        #expect(up.errors.contains("a stand-in that was asked to fail"))
        #expect(!up.errors.contains("an earlier start"))
        #expect(try launcher.processes().isEmpty)
        #expect(try launcher.sockets().isEmpty)
        #expect(try await launcher.run("status").status == 3)
      }
    }

    @Test("The launcher kills a service that does not end within 5 s of being asked")
    func deaf() async throws {
      try await Launcher.with { launcher in
        try launcher.instruct("activity", "deaf")
        #expect(try await launcher.up().status == 0)
        let begin = ContinuousClock.now
        #expect(try await launcher.run("down").status == 0)
        let took = ContinuousClock.now - begin
        // Not before; how long after depends on what else the machine does.
        #expect(took >= .seconds(5) && took < .seconds(30))
        #expect(try launcher.processes().isEmpty)
        #expect(try await launcher.run("logs", "activity").output.contains("did not stop in time and was killed"))
      }
    }

    @Test(
      "Keepers of the launcher that are killed are restarted by the remaining ones, with only their own services")
    func lostKeepers() async throws {
      try await Launcher.with { launcher in
        #expect(try await launcher.up().status == 0)
        let before = try await launcher.status()
        // Two beside each other, and the last one, whom the first follows.
        let lost = ["identity", "activity", "notifications"]
        let former = try lost.map { try launcher.keeper($0) }
        for keeper in former { kill(keeper, SIGKILL) }
        let up = try await launcher.up()
        #expect(up.status == 0, "\(up.errors)")
        let after = try await launcher.status()
        #expect(after.state == "ready")
        for service in Launcher.services {
          #expect((before.pid(service) == after.pid(service)) == !lost.contains(service), "\(service)")
        }
        for (service, keeper) in zip(lost, former) { #expect(try launcher.keeper(service) != keeper, "\(service)") }
        #expect(try launcher.keepers() == Set(Launcher.services.map { try launcher.keeper($0) }), "one for each service")
        #expect(try launcher.standIns().count == 6)
        // It counts as a restart of the service.
        #expect(after.services.filter { $0.restarts == 1 }.map(\.name).sorted() == lost.sorted())
        #expect(try await launcher.run("down").status == 0)
        #expect(try launcher.processes().isEmpty)
      }
    }

    @Test("Killed keepers are restarted without the launcher's up, too, even if only one is left")
    func loneKeeper() async throws {
      try await Launcher.with { launcher in
        #expect(try await launcher.up().status == 0)
        let log = try LogFollower(launcher, "rewards")
        _ = await log.next(holding: "\"started\"")
        for service in Launcher.services where service != "social" { kill(try launcher.keeper(service), SIGKILL) }
        #expect(await log.next(holding: "\"stopped\"") != nil)
        #expect(await log.next(holding: "\"started\"") != nil)
        log.stop()
        #expect(try await launcher.run("up").status == 0)
        #expect(try launcher.keepers().count == 6)
        #expect(try launcher.standIns().count == 6)
      }
    }

    @Test(
      "The launcher restarts a service that stops answering, and not one that is merely not ready")
    func hang() async throws {
      try await Launcher.with { launcher in
        var launcher = launcher
        // Three questions of 3 s: the others are to answer one of them, however busy this machine is.
        launcher.environment["RACHA_HANG_SECONDS"] = "9"
        try launcher.instruct("activity", "unready")
        #expect(try await launcher.up().status == 0)
        let before = try await launcher.status()
        let log = try LogFollower(launcher, "rewards")
        _ = await log.next(holding: "\"started\"")
        let silent = try #require(before.pid("rewards"))
        // It is asked before it is stopped: the keepers ask each 3 s.
        let asked = try LogFollower(launcher, "rewards")
        #expect(await asked.next(holding: "\"answered its health question\"") != nil)
        asked.stop()
        kill(silent, SIGSTOP)
        let line = try #require(await log.next(holding: "service hangs and is ended"))
        #expect(line.contains("\"silentQuestions\":3,"))
        #expect(await log.next(holding: "\"stopped\"") != nil, "it goes on, to end as it is asked to")
        #expect(await log.next(holding: "started again") != nil)
        #expect(await log.next(holding: "\"started\"") != nil)
        log.stop()
        let after = try await launcher.status()
        for service in Launcher.services {
          #expect((before.pid(service) == after.pid(service)) == (service != "rewards"), "\(service)")
        }
        #expect(try await launcher.run("down").status == 0)
        #expect(try launcher.processes().isEmpty)
      }
    }

    @Test("A keeper that cannot write its service's note, as on a full disk, starts the service by itself once it can")
    func unwritableNote() async throws {
      try await Launcher.with { launcher in
        #expect(try await launcher.up().status == 0)
        let before = try await launcher.status()
        let log = try LogFollower(launcher, "social")
        _ = await log.next(holding: "\"started\"")
        // A folder cannot be written as a file, whoever asks; a full disk can be had by root alone.
        let note = "\(launcher.home)/run/social.service"
        try FileManager.default.removeItem(atPath: note)
        try FileManager.default.createDirectory(atPath: note, withIntermediateDirectories: false)
        kill(try #require(before.pid("social")), SIGKILL)
        for delay in [100, 200, 400] {
          let line = try #require(await log.next(holding: "started again"))
          #expect(line.contains("\"delayMilliseconds\":\(delay),"))
          if delay < 400 { #expect(await log.next(holding: "cannot be recorded") != nil) }
        }
        let without = try await launcher.status()
        #expect(without.state == "not_ready" && without.pid("social") == nil)
        for service in Launcher.services where service != "social" { #expect(before.pid(service) == without.pid(service)) }

        try FileManager.default.removeItem(atPath: note)
        #expect(await log.next(holding: "\"started\"") != nil)
        let again = try await launcher.run("up")
        #expect(again.output.contains("already runs"), "\(again.errors)")
        #expect(try await launcher.status().pid("social") != nil)
        log.stop()
        #expect(try await launcher.run("down").status == 0)
        #expect(try launcher.processes().isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(launcher.home)/run") == ["lock"])
      }
    }

    /// At several moments: bash may drop an INT that comes while it waits for a command. With a terminal that is closed, what `up` says
    /// cannot be written.
    @Test(
      "The launcher's up stops what it started if it is interrupted, ended or its terminal is closed",
      arguments: [("gateway", SIGINT), ("social", SIGTERM), ("notifications", SIGHUP)])
    func interrupted(after service: String, by signal: Int32) async throws {
      try await Launcher.with { launcher in
        try launcher.instruct("social", "mute")
        try FileManager.default.createDirectory(atPath: "\(launcher.home)/logs", withIntermediateDirectories: true)
        let process = try Launcher.process(
          Launcher.eventExecutor.path,
          [
            "--default-signal", "\(Launcher.package)/deploy/racha", "up", "--home", launcher.home, "--http",
            "\(launcher.httpPort)", "--tcp", "\(launcher.tcpPort)",
          ], launcher.environment,
          output: "\(launcher.home)/out", errors: "\(launcher.home)/err")
        let terminal = Pipe()
        if signal == SIGHUP {
          process.standardError = terminal.fileHandleForWriting
          try terminal.fileHandleForReading.close()
        }
        let log = try LogFollower(launcher, service)
        async let end: Void = Launcher.finish(process)
        _ = await log.next(holding: "\"started\"")
        kill(process.processIdentifier, signal)
        try await end
        log.stop()
        #expect(process.terminationStatus == 130)
        #expect(try launcher.processes().isEmpty)
        #expect(try launcher.sockets().isEmpty)
      }
    }

    @Test("A service's log contains everything that it writes in a burst")
    func burst() async throws {
      try await Launcher.with { launcher in
        try launcher.instruct("notifications", "talks", "5000")
        #expect(try await launcher.up().status == 0)
        #expect(try await launcher.run("down").status == 0)
        let log = try String(contentsOfFile: "\(launcher.home)/logs/notifications.log", encoding: .utf8)
        #expect(log.split(separator: "\n").filter { $0.contains("\"talking\"") }.count == 5000)
      }
    }

    @Test(
      "The real programs start, are ready, survive a kill and stop",
      .enabled(if: ProcessInfo.processInfo.environment["RACHA_TEST_BIN"] != nil, "RACHA_TEST_BIN names no executables"))
    func real() async throws {
      let binaries = try #require(ProcessInfo.processInfo.environment["RACHA_TEST_BIN"])
      try await Launcher.with(binaries: binaries) { launcher in
        let up = try await launcher.up()
        #expect(up.status == 0, "\(up.errors)")
        let log = try LogFollower(launcher, "gateway")
        kill(try #require(try await launcher.status().pid("gateway")), SIGKILL)
        #expect(await log.next(holding: "started again") != nil)
        log.stop()
        let again = try await launcher.run("up")
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.output.contains("mails     http://127.0.0.1:\(launcher.httpPort)/mailbox?code="))
        // The command line was right: no usage.
        let nobody = try await launcher.run("administrator", "nosuchuser")
        #expect(nobody.status == 1)
        #expect(nobody.errors == "Error: there is no account nosuchuser\n")
        #expect(try await launcher.run("down").status == 0)
        #expect(try launcher.processes().isEmpty)
        #expect(try launcher.sockets().isEmpty)
      }
    }
  }
}
