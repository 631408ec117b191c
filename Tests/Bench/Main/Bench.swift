import ActivityContract
import ArgumentParser
import AsyncHTTPClient
import Client
import Cluster
import Foundation
import IdentityContract
import Operations
import RewardsContract
import SocialContract

/// Measures a release build against the table of speeds; see `Tests/Bench/README.md`.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "racha-bench", abstract: "Measure a running cluster, as ratios of one run.")

  @Option(help: "Folder of the release executables.") var binaries: String
  @Option(help: "Seconds of each load.") var seconds = 5
  @Option(help: "Rounds; the median counts.") var rounds = 3
  @Option(help: "Connections of each load.") var connections = 64
  @Option(help: "Megabytes of the Apple Health export that is imported; 1000 is the whole form.") var importMegabytes = 100
  @Option(help: "Entries of the account whose days and history are looked at.") var historyEntries = 1_000_000

  @Option(help: "Entries of the account that is deleted while another writes.") var erasureEntries = 300_000

  @Option(help: "Notifications that an account marks read while another writes.") var markedNotifications = 100_000

  @Option(help: "Entries of the activity that an account deletes while another writes.") var deletedEntries = 7_000

  @Option(help: "Samples that an account sends while another writes.") var sentSamples = 600_000

  @Option(help: "Leaves of the register in which one is proven.") var registerLeaves = 10_000_000

  @Option(help: "People on the leaderboards.") var leaderboardPeople = 1_000_000

  @Option(help: "Reminders that are due in one minute.") var reminders = 100_000

  @Option(help: "Megabytes of the stores that are backed up.") var backupMegabytes = 1_500

  @Option(help: "Notifications that there are before others come.") var notifications = 1_000_000

  @Option(help: "Accounts of the part 'growth', which can be given several times; if not, 1,000 and 30,000.")
  var accounts: [Int] = []

  @Option(
    help:
      "A stage that 'growth' leaves out, which can be given several times: \(GrowthStage.allCases.map(\.rawValue).joined(separator: ", "))."
  )
  var without: [GrowthStage] = []
  @ArgumentParser.Flag(help: "Keep the home folder of each cluster of 'growth'.") var keep = false

  @Option(help: "Accounts that walk towards challenges.") var challengeAccounts = 5_000

  @Option(
    help:
      "Only this part, which can be given several times: \(Part.allCases.map(\.rawValue).joined(separator: ", "))."
  )
  var only: [Part] = []

  enum Part: String, CaseIterable, ExpressibleByArgument {
    case http, samples, imports, live, logins, history, erasure, longWork, register, redemptions, leaderboard, challenges,
      notifications, reminders, backups, growth
  }

  func run() async throws {
    setenv("RACHA_TEST_BIN", binaries, 1)
    let report = Report()
    if only.isEmpty || only.contains(where: { $0 != .growth }) { try await measureParts(report) }
    if only.isEmpty || only.contains(.growth) {
      try await GrowthLoad(
        sizes: accounts.isEmpty ? [1000, 30_000] : accounts, without: Set(without), keepsHomes: keep, settings: Bench.unlimited,
        report: report
      ).measure()
    }
    report.print()
  }

  /// All parts that have one cluster, one after the other.
  private func measureParts(_ report: Report) async throws {
    // Where pushes go to: known before the cluster starts, for it is allowed by a setting.
    let port = try RunningCluster.freePort()
    let cluster = try RunningCluster(
      settings: Bench.unlimited.merging(["RACHA_PUSH_ALLOWED_ORIGINS": "http://127.0.0.1:\(port)"]) { $1 })
    defer { cluster.stop() }
    let start = ContinuousClock.now
    try await cluster.start()
    let ready = (ContinuousClock.now - start).milliseconds
    report.add("from start to all six ready", "\(Int(ready)) ms", target: "1,000 ms", isReached: ready <= 1000)
    // A moment of nothing, so that start-up's memory is not counted as idle memory.
    try await Task.sleep(for: .seconds(2))
    for service in ServiceName.allCases {
      let megabytes = try residentMegabytes(cluster.processID(service))
      // What several processes have in memory together counts here for each by its part of it.
      let share = try residentMegabytes(cluster.processID(service), "Pss", in: "smaps_rollup")
      report.add(
        "idle memory, \(service.rawValue)", String(format: "%.1f MB, its share %.1f", megabytes, share), target: "40 MB",
        isReached: megabytes <= 40)
    }
    let people = try await People(cluster)
    let yardstick = try await Yardstick(binaries: binaries, port: port)
    defer { yardstick.stop() }
    for part in Part.allCases where only.isEmpty || only.contains(part) {
      switch part {
      case .http: try await http(cluster, people, yardstick, report)
      case .samples: try await samples(cluster, people, report)
      case .imports: try await imports(cluster, people, report)
      case .live: try await live(cluster, people, report)
      case .logins: try await logins(cluster, people, report)
      case .history:
        try await LookingBack(cluster: cluster, yardstick: yardstick, report: report, entries: historyEntries).measure()
      case .erasure: try await ErasureLoad(cluster: cluster, report: report, entries: erasureEntries).measure()
      case .longWork:
        try await LongWorkLoad(
          cluster: cluster, report: report, notifications: markedNotifications, entries: deletedEntries, samples: sentSamples
        ).measure()
      case .register: try await register(cluster, people, report)
      case .redemptions: try await redemptions(cluster, people, report)
      case .leaderboard: try await leaderboard(cluster, people, report)
      case .challenges: try await challenges(cluster, report)
      case .notifications: try await notifications(cluster, people, yardstick, report)
      case .reminders: try await ReminderLoad(cluster: cluster, people: people, report: report, count: reminders).measure()
      case .backups:
        try await BackupLoad(cluster: cluster, people: people, report: report, megabytes: backupMegabytes, rounds: rounds)
          .measure()
      case .growth: break
      }
    }
  }

  /// Limits of the gateway out of the way: the bench is one address and few accounts.
  static let unlimited = [
    "RACHA_LIMITS_RATE_FACTOR": "1000000", "RACHA_LIMITS_CONNECTIONS_PER_ADDRESS": "10000", "RACHA_COINS_EARNING_DAYS": "366",
  ]

  // MARK: - HTTP under wrk

  private func http(_ cluster: RunningCluster, _ people: People, _ yardstick: Yardstick, _ report: Report) async throws {
    let activities = try await people.makeActivities(64)
    let script = cluster.home + "/write.lua"
    try writeScript(activities, token: people.first.token).write(toFile: script, atomically: true, encoding: .utf8)
    let bearer = "Authorization: Bearer \(people.first.token)"
    try await people.makeFriends(20, cluster)
    var results: [(hello: Load, read: Load, friends: Load, write: Load)] = []
    let before = try processorTime()
    for _ in 0..<rounds {
      results.append(
        (
          hello: try wrk("\(yardstick.url)/"),
          read: try wrk("\(cluster.url)/v1/coins/balance", ["-H", bearer]),
          friends: try wrk("\(cluster.url)/v1/friends?limit=20", ["-H", bearer]),
          write: try wrk(cluster.url, ["-s", script])
        ))
    }
    let after = try processorTime()
    for round in results {
      for (name, load) in [
        ("hello", round.hello), ("read", round.read), ("friends", round.friends), ("write", round.write),
      ] {
        report.raw(
          "\(name): \(Int(load.perSecond)) requests/s, p50 \(load.p50) ms, p99 \(load.p99) ms, \(load.errors) not answered 2xx")
      }
    }
    let stolen = Double(after.stolen - before.stolen) / Double(after.all - before.all)
    report.raw(String(format: "taken by other machines on the same hardware meanwhile: %.1f %% of the processors", stolen * 100))
    // Each round against its own yardstick: what disturbs one round disturbs its yardstick too.
    report.ratio("authenticated point read", median(results.map { $0.read.perSecond / $0.hello.perSecond }), target: 0.5)
    report.ratio("list of 20 friends", median(results.map { $0.friends.perSecond / $0.hello.perSecond }), target: 0.25)
    report.ratio("durable write (an entry)", median(results.map { $0.write.perSecond / $0.hello.perSecond }), target: 0.22)
    for (name, ratio) in [
      ("p99 of the read, against hello's", median(results.map { $0.read.p99 / $0.hello.p99 })),
      ("p99 of the write, against hello's", median(results.map { $0.write.p99 / $0.hello.p99 })),
    ] {
      report.add(name, String(format: "%.1f", ratio), target: "4", isReached: ratio <= 4)
    }
  }

  /// The processors' time since the machine started, in ticks, and what of it other machines on the same hardware took.
  private func processorTime() throws -> (all: Int, stolen: Int) {
    let text = try String(contentsOfFile: "/proc/stat", encoding: .utf8)
    let ticks = text.prefix { $0 != "\n" }.split(separator: " ").dropFirst().compactMap { Int($0) }
    return (ticks.prefix(8).reduce(0, +), ticks.count > 7 ? ticks[7] : 0)
  }

  private func writeScript(_ activities: [ActivityID], token: String) -> String {
    """
    local ids = {\(activities.map { "\"\($0)\"" }.joined(separator: ","))}
    local requests = {}
    function init()
      for amount = 0, 99 do
        for _, id in ipairs(ids) do
          requests[#requests + 1] = wrk.format("PUT", "/v1/activities/" .. id .. "/entries/today",
            {["Authorization"] = "Bearer \(token)", ["Content-Type"] = "application/json"}, '{"amount":' .. amount .. '}')
        end
      end
    end
    local n = 0
    function request()
      n = n % #requests + 1
      return requests[n]
    end
    """
  }

  private struct Load {
    let perSecond: Double
    let p50: Double
    let p99: Double
    let errors: Int
  }

  private func median(_ values: [Double]) -> Double {
    values.isEmpty ? .nan : values.sorted()[values.count / 2]
  }

  private func wrk(_ url: String, _ options: [String] = []) throws -> Load {
    let output = try run("wrk", ["-t1", "-c\(connections)", "-d\(seconds)s", "--latency"] + options + [url])
    func figure(_ pattern: Regex<(Substring, Substring)>) -> Substring? { output.firstMatch(of: pattern)?.1 }
    func milliseconds(_ text: Substring?) -> Double {
      guard let text else { return .nan }
      let value = Double(text.prefix { $0.isNumber || $0 == "." }) ?? .nan
      return text.hasSuffix("us") ? value / 1000 : text.hasSuffix("ms") ? value : value * 1000
    }
    return Load(
      perSecond: figure(/Requests\/sec:\s+([\d.]+)/).flatMap { Double($0) } ?? 0, p50: milliseconds(figure(/\n\s+50%\s+(\S+)/)),
      p99: milliseconds(figure(/\n\s+99%\s+(\S+)/)), errors: figure(/Non-2xx or 3xx responses: (\d+)/).flatMap { Int($0) } ?? 0)
  }

  // MARK: - Samples

  private func samples(_ cluster: RunningCluster, _ people: People, _ report: Report) async throws {
    // Bodies are made before the clock starts: the client shares the cores with what is measured.
    let now = Instant.now
    var batches: [(client: GatewayClient, call: PreparedCall<RecordMovementSamples>)] = []
    for batch in 0..<300 {
      let person = people.all[batch % people.all.count]
      let samples = (0..<1000).map { index in
        let end = now.adding(seconds: -60 * (batch * 40 + index % 40) - index)
        return MovementSample(
          id: "bench-\(batch)-\(index)", start: end.adding(seconds: -30), end: end, steps: index % 10, source: "bench",
          device: "watch")
      }
      batches.append((person.client, try PreparedCall(.init(samples: samples))))
    }
    let work = batches
    let start = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for index in stride(from: worker, to: work.count, by: 4) {
            _ = try await work[index].client.call(work[index].call)
          }
        }
      }
      try await group.waitForAll()
    }
    let elapsed = (ContinuousClock.now - start).milliseconds / 1000
    let perSecond = Double(work.count * 1000) / elapsed
    report.add(
      "step samples taken in, batches of 1,000", "\(Int(perSecond))/s", target: "100,000/s", isReached: perSecond >= 100_000)
  }

  // MARK: - Imports

  /// An Apple Health export through gateway, bus and store: the clock runs from its last byte to its end.
  private func imports(_ cluster: RunningCluster, _ people: People, _ report: Report) async throws {
    let path = cluster.home + "/export.xml"
    let first = Instant.now.adding(seconds: -8 * 366 * 86_400)
    var export = AppleHealthExport(from: first, stepSeconds: 600)
    let content = try export.write(bytes: importMegabytes * 1_000_000, to: path)
    let person = people.all[3].client
    let begin = ContinuousClock.now
    let id = try ImportID(text: try await person.upload(path, name: "export.xml"))
    let uploaded = ContinuousClock.now
    var done = try await person.call(GetImport.self, .init(importID: id))
    while !done.state.isEnded {
      try await Task.sleep(for: .milliseconds(20))
      done = try await person.call(GetImport.self, .init(importID: id))
    }
    let elapsed = (ContinuousClock.now - uploaded).milliseconds / 1000
    try FileManager.default.removeItem(atPath: path)
    let megabytes = try residentMegabytes(cluster.processID(.activity), "VmHWM")
    let maximum = 60.0 * Double(importMegabytes) / 1000
    report.add(
      "import of an Apple Health export of \(importMegabytes) MB", String(format: "%.1f s", elapsed),
      target: String(format: "%.0f s", maximum), isReached: elapsed <= maximum && done.state == .done)
    report.add(
      "activity's most memory with that", String(format: "%.0f MB", megabytes), target: "150 MB", isReached: megabytes <= 150)
    report.raw(
      "import: \(done.state), \(done.counts.accepted) of \(content.samples) samples taken, upload \((uploaded - begin).milliseconds / 1000) s"
    )
  }

  // MARK: - Live

  private func live(_ cluster: RunningCluster, _ people: People, _ report: Report) async throws {
    let (sender, receiver) = (people.all[0], people.all[1])
    let request = try await sender.client.call(SendFriendRequest.self, .init(username: receiver.account.username))
    _ = try await receiver.client.callUntilDone(AcceptFriendRequest.self, .init(friendRequestID: request.id))
    var events = try await receiver.client.live(after: nil).makeAsyncIterator()
    var delays: [Double] = []
    for index in 0..<300 {
      let text = "bench \(index) \(ID<Account>())"
      let start = ContinuousClock.now
      _ = try await sender.client.call(SendMessage.self, .init(accountID: receiver.account.id, text: try ChatText(text: text)))
      while let event = try await events.next() {
        if event.data.contains(text) { break }
      }
      delays.append((ContinuousClock.now - start).milliseconds)
    }
    delays.sort()
    let (p50, p99) = (delays[delays.count / 2], delays[delays.count * 99 / 100])
    report.add("a message sent → live at the friend, p50", String(format: "%.1f ms", p50), target: "5 ms", isReached: p50 <= 5)
    report.add("the same, p99", String(format: "%.1f ms", p99), target: "25 ms", isReached: p99 <= 25)
  }

  // MARK: - Logins

  /// 200 people log in at the same time, again and again, while another reads: hashing must hold up nobody else.
  private func logins(_ cluster: RunningCluster, _ people: People, _ report: Report) async throws {
    // To another account than the reader's: an account's earlier sessions end with so many logins.
    let login = try await People.make("bench.logins", cluster).login
    let end = ContinuousClock.now + .seconds(seconds)
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 200
    let http = HTTPClient(configuration: configuration)
    let client = GatewayClient(url: cluster.url, http: http)
    let reader = Task {
      var delays: [Double] = []
      while ContinuousClock.now < end {
        let start = ContinuousClock.now
        _ = try await people.first.client.call(GetBalance.self, .init())
        delays.append((ContinuousClock.now - start).milliseconds)
        try await Task.sleep(for: .milliseconds(2))
      }
      return delays.sorted()
    }
    let answers = try await withThrowingTaskGroup(of: [Int: Int].self) { group in
      for _ in 0..<200 {
        group.addTask {
          var answers: [Int: Int] = [:]
          while ContinuousClock.now < end {
            do {
              _ = try await client.call(LogIn.self, login)
              answers[200, default: 0] += 1
            } catch let problem as GatewayClient.Problem {
              answers[problem.status, default: 0] += 1
              // As whoever is asked to come again does, only sooner.
              try await Task.sleep(for: .milliseconds(100))
            }
          }
          return answers
        }
      }
      return try await group.reduce(into: [Int: Int]()) { all, one in all.merge(one, uniquingKeysWith: +) }
    }
    try await http.shutdown()
    let delays = try await reader.value
    let p99 = delays[delays.count * 99 / 100]
    report.add(
      "p99 of a read while 200 log in at the same time", String(format: "%.1f ms", p99), target: "100 ms", isReached: p99 <= 100)
    let megabytes = try residentMegabytes(cluster.processID(.identity), "VmHWM")
    report.add(
      "identity's most memory with that", String(format: "%.0f MB", megabytes), target: "512 MB", isReached: megabytes <= 512)
    let others = answers.filter { ![200, 429, 503].contains($0.key) }.values.reduce(0, +)
    report.add("answers other than 200, 429 and 503 to them", "\(others)", target: "0", isReached: others == 0)
    report.raw(
      "200 at the same time: \(answers.sorted { $0.key < $1.key }.map { "\($0.value) answered \($0.key)" }.joined(separator: ", "))"
    )
  }

  // MARK: - Register

  private func register(_ cluster: RunningCluster, _ people: People, _ report: Report) async throws {
    let load = RegisterLoad(
      cluster: cluster, report: report, first: people.all[0], second: people.all[2], leaves: registerLeaves, seconds: seconds
    ) { options in
      let load = try wrk(cluster.url, options)
      return "\(Int(load.perSecond)) requests/s, p99 \(load.p99) ms, \(load.errors) not answered 2xx"
    }
    try await load.measure()
    let megabytes = try residentMegabytes(cluster.processID(.social), "VmHWM")
    report.add(
      "social's most memory with that", String(format: "%.0f MB", megabytes), target: "60 MB", isReached: megabytes <= 60)
  }

  // MARK: - Redemptions

  private func redemptions(_ cluster: RunningCluster, _ people: People, _ report: Report) async throws {
    let load = RedemptionLoad(cluster: cluster, report: report, people: people) { options in
      let load = try wrk(cluster.url, options)
      return (
        load.perSecond,
        "\(Int(load.perSecond)) requests/s, p50 \(load.p50) ms, p99 \(load.p99) ms, \(load.errors) not answered 2xx"
      )
    }
    try await load.measure()
    try reportMemory(cluster, "redemptions", report)
  }

  // MARK: - Leaderboards

  private func leaderboard(_ cluster: RunningCluster, _ people: People, _ report: Report) async throws {
    try await LeaderboardLoad(
      cluster: cluster, report: report, people: people.all, accounts: leaderboardPeople, seconds: seconds
    ).measure()
    let megabytes = try residentMegabytes(cluster.processID(.rewards), "VmHWM")
    report.add(
      "rewards' most memory with that", String(format: "%.0f MB", megabytes), target: "80 MB", isReached: megabytes <= 80)
  }

  // MARK: - Notifications

  private func notifications(
    _ cluster: RunningCluster, _ people: People, _ yardstick: Yardstick, _ report: Report
  ) async throws {
    try await NotificationLoad(
      cluster: cluster, report: report, people: people, pushService: yardstick, notifications: notifications
    ).measure()
    let megabytes = try residentMegabytes(cluster.processID(.notifications), "VmHWM")
    report.add(
      "notifications' most memory with that", String(format: "%.0f MB", megabytes), target: "80 MB", isReached: megabytes <= 80)
  }

  // MARK: - Challenges

  private func challenges(_ cluster: RunningCluster, _ report: Report) async throws {
    try await ChallengeLoad(cluster: cluster, report: report, accounts: challengeAccounts).measure()
    try reportMemory(cluster, "challenges", report)
  }

  private func reportMemory(_ cluster: RunningCluster, _ part: String, _ report: Report) throws {
    let megabytes = try residentMegabytes(cluster.processID(.rewards), "VmHWM")
    report.raw(String(format: "\(part): rewards' most memory %.1f MB", megabytes))
  }

  // MARK: - Tools

  /// - Parameters:
  ///   - figure: `VmRSS` now, `VmHWM` at most so far; `Pss` is the share, in another file.
  ///   - file: of the process, in which it stands.
  private func residentMegabytes(_ process: Int32, _ figure: String = "VmRSS", in file: String = "status") throws -> Double {
    let status = try String(contentsOfFile: "/proc/\(process)/\(file)", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(figure + ":") }
    guard let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Double($0) }) else {
      return .nan
    }
    return kilobytes / 1024
  }

  private func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw ValidationError("\(program) ended with \(process.terminationStatus)") }
    return String(decoding: data, as: UTF8.self)
  }
}

extension Duration {
  var milliseconds: Double { Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15 }
}
