import ActivityContract
import ArgumentParser
import Client
import Foundation
import IdentityContract
import Operations
import RewardsContract
import SocialContract

/// Fills a running cluster with believable people, so that there is something to see.
@main
struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "racha-demo", abstract: "Fill a running cluster with believable data.")

  @Option(help: "The gateway's address.") var http = "http://127.0.0.1:8080"
  @Option(help: "The cluster's home folder, where its mails are.") var home =
    ProcessInfo.processInfo.environment["RACHA_HOME"] ?? NSHomeDirectory() + "/.racha"
  @Flag(help: "Accept any certificate of the gateway: for a cluster on this machine.") var insecure = false

  /// What every demonstration account logs in with; the data is for looking at, and says so.
  static let password = "Racha-demo-2026!"

  struct Person {
    let username: String
    let name: String
    let age: Int
    let timeZone: String
    let language: Language
    let dailySteps: Int
    let habits: [CreateActivity.Input]
  }

  func run() async throws {
    do {
      try await GatewayClient.with(url: http, anyCertificate: insecure) { try await fill($0) }
    } catch {
      throw Refusal(words(error))
    }
  }

  /// An error as a sentence for people.
  private func words(_ error: any Error) -> String {
    if let problem = error as? GatewayClient.Problem {
      let fields = problem.fields.sorted { $0.key < $1.key }.map { " \($0.key): \($0.value)." }.joined()
      return "The cluster at \(http) refused: \(problem.detail)\(fields)"
    }
    if let reason = GatewayClient.reason(error) {
      return "There is no answer from \(http). \(reason)"
        + (http.hasPrefix("https:") && !insecure ? " For a cluster on this machine, say --insecure." : "")
    }
    switch error {
    case let refusal as Refusal: return refusal.description
    case let failure as Failure: return "The answer of \(http) is none of this version's (\(failure.code))."
    default: return error.localizedDescription
    }
  }

  private func fill(_ client: GatewayClient) async throws {
    // What keeps everything from being done is printed at once, and not after tries.
    let ready = try await client.get("/readyz")
    guard ready.status == 200 else { throw Refusal("The cluster at \(http) is not ready: \(ready.text)") }
    let run = String(Int(Date().timeIntervalSince1970) % 1_000_000)
    var signedIn: [(person: Person, client: GatewayClient, account: OwnAccount)] = []
    for person in Demo.people {
      let username = person.username + run
      try await register(person, username, client)
      let session = try await client.call(LogIn.self, .init(login: username, password: Demo.password))
      let own = client.authorized(session.accessToken)
      _ = try await own.call(UpdateSettings.self, .init(directoryVisibility: .set(.listed)))
      signedIn.append((person, own, session.account))
    }
    try await publishOffers(signedIn[0].account, signedIn[0].client, client)
    for (person, client, _) in signedIn { try await live(person, client) }
    try await befriend(signedIn.map { ($0.client, $0.account) })
    print("Filled \(http) with \(signedIn.count) people. Log in as any of them, password \(Demo.password):")
    for (person, client, account) in signedIn {
      let balance = try await client.call(GetBalance.self, .init())
      print("  \(account.username)\t\(person.name), \(person.timeZone), \(balance.coins) coins")
    }
    print(
      """
      Try:
        curl -s \(http)/v1/sessions -H 'Content-Type: application/json' \\
          -d '{"login":"\(signedIn[0].account.username)","password":"\(Demo.password)"}'
      """)
  }

  /// The first of them runs the shop, where nobody before has put everything on its shelves.
  private func publishOffers(_ account: OwnAccount, _ own: GatewayClient, _ client: GatewayClient) async throws {
    let missing = try await missingOffers(own)
    guard !missing.isEmpty else { return }
    let admin = Process()
    admin.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("racha-admin")
    admin.arguments = ["administrator", account.username.description]
    admin.environment = ProcessInfo.processInfo.environment.merging(["RACHA_HOME": home]) { $1 }
    admin.standardOutput = FileHandle.nullDevice
    try admin.run()
    admin.waitUntilExit()
    guard admin.terminationStatus == 0 else { throw Refusal("\(account.username) could not be made an administrator.") }
    let session = try await client.call(LogIn.self, .init(login: account.username.description, password: Demo.password))
    let shop = client.authorized(session.accessToken)
    let now = Instant.now
    for (title, reward, partner, coins, stock) in missing {
      _ = try await shop.call(
        CreateOffer.self,
        .init(
          title: title, reward: reward, partnerName: partner, costCoins: coins, stock: stock, validFrom: now,
          validUntil: now.adding(seconds: 60 * 86_400)))
    }
  }

  /// Those that cannot be redeemed now.
  private func missingOffers(_ own: GatewayClient) async throws -> [(String, String, String, Int, Int)] {
    var there: Set<[String]> = []
    var cursor: PageCursor?
    repeat {
      let page = try await own.call(ListOffers.self, .init(cursor: cursor))
      there.formUnion(page.items.map { [$0.title, $0.partnerName] })
      cursor = page.nextCursor
    } while cursor != nil
    return Demo.offers.filter { !there.contains([$0.0, $0.2]) }
  }

  static let offers = [
    ("Café con leche", "Un café con leche y una napolitana", "Café Comercial", 40, 200),
    ("Yoga trial", "One class of your choice", "Studio Nine", 120, 30),
    ("Running socks", "A pair of socks in your size", "Pace & Co.", 300, 50),
  ]

  private func register(_ person: Person, _ username: String, _ client: GatewayClient) async throws {
    let email = "\(username)@example.org"
    _ = try await client.callUntilDone(
      RegisterAccount.self,
      .init(
        email: .init(text: email), username: .init(text: username), password: .init(text: Demo.password),
        passwordConfirmation: .init(text: Demo.password), name: .init(text: person.name), age: person.age,
        nickname: .init(text: String(person.name.prefix { $0 != " " })), timeZone: .init(text: person.timeZone),
        language: .init(text: person.language.rawValue), consents: .init(activityData: true)),
      idempotencyKey: "demo-\(username)")
    for _ in 0..<200 {
      if let token = try MailFolder(home: home).mails(to: email).last?.token {
        _ = try await client.call(VerifyAccount.self, .init(token: token))
        return
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw Refusal("No verification mail for \(email) came to \(home)/mails. Is this the cluster's home?")
  }

  /// A month of habits and steps.
  private func live(_ person: Person, _ client: GatewayClient) async throws {
    let zone = TimeZone(identifier: person.timeZone) ?? .gmt
    let midnight = Calendar.current.dateComponents(in: zone, from: Date())
    let today = LocalDay(year: midnight.year ?? 2026, month: midnight.month ?? 1, day: midnight.day ?? 1) ?? .placeholder
    for habit in person.habits {
      var habit = habit
      habit.startDay = today.advanced(by: -30)
      let activity = try await client.call(CreateActivity.self, habit)
      for back in 0..<30 where Double.random(in: 0..<1) < 0.8 {
        let day = try DayName(text: today.advanced(by: -back).description)
        do {
          switch habit.goal.kind {
          case .check: _ = try await client.call(RecordEntry.self, .init(activityID: activity.id, day: day, isDone: true))
          case .quantity:
            let amount = (habit.goal.amount ?? 1) * [0.5, 1, 1].randomElement()!
            _ = try await client.call(RecordEntry.self, .init(activityID: activity.id, day: day, amount: amount))
          case .duration:
            let seconds = habit.goal.durationSeconds ?? 60
            _ = try await client.call(
              RecordEntry.self, .init(activityID: activity.id, day: day, durationSeconds: seconds))
          }
        } catch let problem as GatewayClient.Problem where problem.code == "not_planned" {
          continue
        }
      }
    }
    var samples: [MovementSample] = []
    let now = Date()
    for back in 0..<30 {
      for hour in 8..<21 {
        guard let start = Calendar(identifier: .gregorian).date(byAdding: .hour, value: -(back * 24 + 24 - hour), to: now) else {
          continue
        }
        let begin = Instant(milliseconds: Int64(start.timeIntervalSince1970 * 1000))
        samples.append(
          MovementSample(
            id: "demo-\(back)-\(hour)", start: begin, end: begin.adding(seconds: 3000),
            steps: Int.random(in: 0...person.dailySteps / 6), source: "demo", device: "phone"))
      }
    }
    _ = try await client.call(RecordMovementSamples.self, .init(samples: samples))
  }

  private func befriend(_ people: [(client: GatewayClient, account: OwnAccount)]) async throws {
    let talk = [
      "¿Salimos a correr mañana?", "Only if it doesn't rain!", "Twelve days in a row — your turn.", "¡Enhorabuena por la racha!",
      "Can you water my plants on Friday?", "Claro que sí.",
    ]
    for (index, (client, account)) in people.enumerated() {
      let other = people[(index + 1) % people.count]
      let request = try await client.call(SendFriendRequest.self, .init(username: other.account.username))
      guard index != people.count - 1 else { continue }  // The last request waits for its answer.
      _ = try await other.client.call(AcceptFriendRequest.self, .init(friendRequestID: request.id))
      _ = try await client.call(
        SendMessage.self, .init(accountID: other.account.id, text: try ChatText(text: talk[index * 2 % talk.count])))
      _ = try await other.client.call(
        SendMessage.self, .init(accountID: account.id, text: try ChatText(text: talk[(index * 2 + 1) % talk.count])))
    }
  }
}

/// Why the cluster was not filled: printed alone, with status 1.
struct Refusal: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension Demo {
  static let people: [Person] = [
    Person(
      username: "ana.ruiz", name: "Ana Ruiz", age: 34, timeZone: "Europe/Madrid", language: .spanish, dailySteps: 11_000,
      habits: [
        .init(
          title: "Leer 20 páginas", reason: "Terminar la pila", category: .reading, goal: .quantity(20, unit: "páginas"),
          schedule: .daily),
        .init(title: "Correr", category: .fitness, goal: .duration(seconds: 1800), schedule: .weekdays([2, 4, 6])),
      ]),
    Person(
      username: "ben.okafor", name: "Ben Okafor", age: 27, timeZone: "Europe/London", language: .english, dailySteps: 7500,
      habits: [
        .init(title: "Drink water", category: .hydration, goal: .quantity(8, unit: "glasses"), schedule: .daily),
        .init(title: "No phone after 22:00", category: .screenTime, goal: .check, schedule: .daily),
      ]),
    Person(
      username: "carla.mendez", name: "Carla Méndez", age: 52, timeZone: "America/Mexico_City", language: .spanish,
      dailySteps: 5200,
      habits: [.init(title: "Meditar", category: .mindfulness, goal: .duration(seconds: 600), schedule: .daily)]),
    Person(
      username: "dmitri.v", name: "Dmitri Volkov", age: 41, timeZone: "Australia/Melbourne", language: .english,
      dailySteps: 14_000,
      habits: [
        .init(
          title: "Practise the piano", category: .music, goal: .duration(seconds: 2700), schedule: .weekdays([1, 2, 3, 4, 5])),
        .init(title: "Pay the bills", category: .finances, goal: .check, schedule: .monthDays([1, 31])),
      ]),
  ]
}
