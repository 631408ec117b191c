// swift-tools-version: 6.2
import PackageDescription

// The manifest is the map of who calls and subscribes to whom: a service names the contracts it uses, and nothing else of another
// service can be imported (`deploy/racha test` builds with `--explicit-target-dependency-import-check error`).

/// Settings of every target: Swift 6 mode, upcoming features on, warnings as errors.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

// MARK: - Packages

let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let coreMetrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let metricsTestKit: Target.Dependency = .product(name: "MetricsTestKit", package: "swift-metrics")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let jwt: Target.Dependency = .product(name: "JWTKit", package: "jwt-kit")
let mustache: Target.Dependency = .product(name: "Mustache", package: "swift-mustache")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let httpClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTLS: Target.Dependency = .product(name: "HummingbirdTLS", package: "hummingbird")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioExtras: Target.Dependency = .product(name: "NIOExtras", package: "swift-nio-extras")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")

// MARK: - Helpers

/// A module of C that puts the files of its folder into the program, see `EmbeddedFile`: they stay as they are, and nobody waits for the
/// compiler.
func embedded(_ name: String, path: String) -> Target {
  .target(
    name: name, dependencies: ["CEmbeddedFile"], path: path, sources: ["\(name).c"], publicHeadersPath: ".",
    cSettings: [.treatAllWarnings(as: .error)])
}

/// A service's contract, and the words that belong to it.
///
/// - Parameter others: services of whose contracts its documents have parts.
func contract(_ service: String, showing others: [String] = []) -> [Target] {
  let path = "Services/\(service)/Contract"
  return [
    embedded("C\(service)Words", path: "\(path)/Words"),
    .target(
      name: "\(service)Contract",
      dependencies: [.byName(name: "C\(service)Words"), "Operations"] + others.map { .byName(name: "\($0)Contract") }, path: path,
      exclude: ["Words"], swiftSettings: settings),
  ]
}

/// One service is three targets: its contract, its insides, its executable.
///
/// - Parameters:
///   - showing: services of whose contracts its own has parts.
///   - calls: services whose contracts it imports, because it calls them or subscribes to their events.
///   - uses: what it needs beyond the shared modules every service has.
///   - beside: folders within its own that are modules of their own, and further pages.
func service(
  _ name: String, showing: [String] = [], calls: [String] = [], uses: [Target.Dependency] = [], beside: [String] = []
) -> [Target] {
  let path = "Services/\(name)"
  let contracts = ([name] + calls).sorted().map { Target.Dependency(stringLiteral: "\($0)Contract") }
  return contract(name, showing: showing) + [
    .target(
      name: "\(name)Service",
      dependencies: ["Operations", "ServiceKit", "Storage", grdb] + contracts + uses,
      path: path, exclude: ["Contract", "Main", "README.md", "schema.sql"] + beside, swiftSettings: settings),
    .executableTarget(
      name: name.lowercased(), dependencies: [.byName(name: "\(name)Service")], path: "\(path)/Main", swiftSettings: settings),
  ]
}

/// - Parameter isOptimized: whether it is so in debug builds, too, with all assertions.
func shared(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], isOptimized: Bool = false
) -> Target {
  let optimized: [SwiftSetting] = [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]
  return .target(
    name: name, dependencies: dependencies, path: "Shared/\(name)", exclude: exclude,
    swiftSettings: settings + (isOptimized ? optimized : []))
}

/// A C library of the system: a module map only.
func library(_ name: String) -> Target {
  .systemLibrary(name: name, path: "Shared/\(name)")
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = [], resources: [Resource] = []
) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: dependencies, path: path ?? "Tests/\(name)", exclude: exclude, resources: resources,
    swiftSettings: settings)
}

// MARK: - The map

let everyContract: [Target.Dependency] = [
  "ActivityContract", "IdentityContract", "NotificationsContract", "RewardsContract", "SocialContract",
]
let everyExecutable: [Target.Dependency] = [
  "activity", "gateway", "identity", "notifications", "racha-programs", "rewards", "social",
]

let package = Package(
  name: "racha",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.0"),
  ],
  targets: [
    // Shared
    .target(
      name: "CScrubbingVFS", path: "Shared/CScrubbingVFS", cSettings: [.treatAllWarnings(as: .error)],
      linkerSettings: [.linkedLibrary("sqlite3")]),
    library("CArchive"),
    // Loads libcurl when it is first used.
    .target(name: "CCurl", path: "Shared/CCurl", cSettings: [.treatAllWarnings(as: .error)]),
    library("CMalloc"),
    library("CMaxMind"),
    library("CPNG"),
    library("CSandbox"),
    library("CSodium"),
    library("CTurboJPEG"),
    library("CWebP"),
    library("CZeroMQ"),
    .systemLibrary(name: "CXML2", path: "Shared/CXML2", pkgConfig: "libxml-2.0"),
    .target(name: "CEmbeddedFile", path: "Shared/CEmbeddedFile", cSettings: [.treatAllWarnings(as: .error)]),
    embedded("COperationsWords", path: "Shared/Operations/Words"),
    // JSON is read and written here, which without optimization takes a quarter of the tests' time.
    shared("Operations", ["CEmbeddedFile", "COperationsWords"], exclude: ["Words"], isOptimized: true),
    shared("Images", ["CMalloc", "CPNG", "CTurboJPEG", "CWebP", "Operations", "Sandbox", "Workers", crypto, logging]),
    shared("Sandbox", ["CSandbox", logging, metrics]),
    shared("TransparencyLog", [crypto]),
    shared("Web", ["CCurl"]),
    shared("Workers", ["Operations"]),
    shared("Messaging", ["CZeroMQ", "Operations", "Workers", logging, metrics]),
    shared(
      "Storage", ["CScrubbingVFS", "Operations", crypto, grdb, logging, metrics, sqlite], exclude: ["schema.sql"]),
    shared(
      "ServiceKit",
      [
        "CMalloc", "IdentityContract", "Messaging", "Operations", "Sandbox", "Storage", configuration, coreMetrics, crypto, grdb,
        lifecycle, logging, metrics, signals, system,
      ]),
    shared("SecureStorage", ["ServiceKit", crypto]),
    shared("Client", ["Operations", httpClient, nioCore, nioHTTP1, nioPosix, nioSSL]),

    // Services
    .target(
      name: "GatewayService",
      dependencies: [
        "GatewayContract", "IdentityContract", "Messaging", "NotificationsContract", "Operations", "ServiceKit", "SocialContract",
        coreMetrics, crypto,
        hummingbirdCore, hummingbirdTLS, lifecycle, logging, nioCore, nioExtras, nioHTTP1, nioPosix, nioSSL,
      ],
      path: "Services/Gateway", exclude: ["Contract", "Main", "README.md"], swiftSettings: settings),
    .executableTarget(
      name: "gateway", dependencies: ["GatewayService", "Operations"] + everyContract,
      path: "Services/Gateway/Main", swiftSettings: settings),
  ]
    + contract("Gateway")
    + [
      embedded("CCommonPasswords", path: "Services/Identity/Passwords/List"),
      embedded("CReservedUsernames", path: "Services/Identity/Registration/List"),
    ]
    + service(
      "Identity", showing: ["Social"], calls: ["Rewards", "Social"],
      uses: [
        "CCommonPasswords", "CMaxMind", "CReservedUsernames", "CSodium", "Images", "Sandbox", "SecureStorage",
        "TransparencyLog", "Web", "Workers", crypto, jwt, lifecycle, logging,
      ],
      beside: ["Passwords/List", "Registration/List"])
    + [
      // What the files are that people import; apart, so that nothing else of activity sees the libraries behind it.
      .target(
        name: "ImportFormats", dependencies: ["ActivityContract", "CArchive", "CXML2", "Operations", "Sandbox", sqlite],
        path: "Services/Activity/Imports/Formats", swiftSettings: settings)
    ]
    + service(
      "Activity", calls: ["Identity", "Notifications", "Rewards", "Social"],
      uses: ["Images", "ImportFormats", "Sandbox", "Workers", crypto, lifecycle],
      beside: ["Imports/Formats"])
    + service(
      "Social", showing: ["Activity"], calls: ["Activity", "Identity"],
      uses: ["Images", "Sandbox", "TransparencyLog", "Web", "Workers", crypto, lifecycle, logging])
    + [embedded("CBuiltInChallenges", path: "Services/Rewards/Challenges/BuiltIn")]
    + service(
      "Rewards", calls: ["Activity", "Identity", "Social"],
      uses: ["CBuiltInChallenges", "Images", "Sandbox", "SecureStorage", crypto, lifecycle, logging],
      beside: ["Challenges/BuiltIn", "Challenges/Challenges.md", "Leaderboards.md"])
    + [embedded("CMailTemplates", path: "Services/Notifications/Mails/Templates")]
    + service(
      "Notifications", showing: ["Activity"], calls: ["Activity", "Identity", "Rewards", "Social"],
      uses: ["CCurl", "CMailTemplates", "Web", "Workers", crypto, lifecycle, logging, metrics, mustache],
      beside: ["Mails/Templates"])
    + [
      // Tests
      tests(
        "Activity",
        [
          "ActivityContract", "ActivityService", "BuiltPrograms", "CArchive", "EarlierStores", "GeneratedHistory",
          "IdentityContract", "ImportFormats", "InMemoryBus", "InProcess", "NotificationsContract", "Operations",
          "RewardsContract", "RewardsService",
          "Sampling",
          "Sandbox", "ServiceKit", "SocialContract", "SocialService", "Storage", "sandbox-probe", crypto, grdb, sqlite,
        ],
        exclude: ["CalendarFeeds/expand.py", "README.md"]),
      tests(
        "Contracts",
        [
          "ActivityService", "GatewayContract", "IdentityService", "InMemoryBus", "InProcess", "NotificationsService",
          "Operations", "RewardsService", "ServiceKit", "SocialService", "Storage", grdb, logging,
        ] + everyContract, exclude: ["migrations.txt"]),
      tests("Deploy", ["Cluster", "racha-demo"], exclude: ["StandIns"]),
      tests(
        "EndToEnd",
        [
          "BuiltPrograms", "Client", "Cluster", "GeneratedAccounts", "Messaging", "Operations", "Sampling", "ServiceKit",
          "SmallDisk",
          "racha-admin",
          grdb, httpClient, logging,
        ] + everyContract
          + everyExecutable, exclude: ["API/session.py"]),
      tests(
        "Gateway",
        [
          "GatewayContract", "GatewayService", "InMemoryBus", "InProcess", "Messaging", "Operations", "Sampling", "ServiceKit",
          "SocialService", "Storage", crypto, grdb, lifecycle, logging,
          nioCore, nioHTTP1, nioPosix, nioSSL,
        ] + everyContract,
        exclude: ["Documents/things.openapi.json"]),
      tests(
        "Identity",
        [
          "BuiltPrograms", "EarlierStores", "IdentityContract", "IdentityService", "InMemoryBus", "InProcess", "Messaging",
          "Operations", "RewardsContract", "Sampling", "SecureStorage", "ServiceKit", "SocialContract", "Storage",
          "TransparencyLog",
          crypto, grdb, httpClient, jwt, logging, nioCore, nioHTTP1, sqlite,
        ], exclude: ["ExternalProviders/provider.py", "Places/make_places.py", "Places/places.mmdb", "README.md"]),
      tests("Images", ["BuiltPrograms", "Images", "Operations", logging], exclude: ["Fixtures"]),
      tests("Workers", ["Operations", "Workers"]),
      tests("Messaging", ["InMemoryBus", "Messaging", "Operations", "Sampling", logging]),
      tests(
        "Notifications",
        [
          "ActivityContract", "BuiltPrograms", "CCurl", "EarlierStores", "IdentityContract", "InMemoryBus", "InProcess",
          "Messaging", "NotificationsContract", "NotificationsService", "Operations",
          "RewardsContract", "Sampling", "ServiceKit", "SocialContract", "SocialService", "Storage", "Web", crypto, grdb, logging,
        ], exclude: ["Mails/Golden", "Mails/smtp_server.py"]),
      tests("Operations", ["Operations", "Sampling"]),
      tests(
        "Rewards",
        [
          "ActivityContract", "ActivityService", "EarlierStores", "IdentityContract", "InMemoryBus", "InProcess",
          "Operations", "RewardsContract", "RewardsService", "Sampling", "ServiceKit", "SocialContract", "Storage", grdb, logging,
        ]),
      tests("Sandbox", ["BuiltPrograms", "Sandbox", logging, "sandbox-probe"], exclude: ["Probe"]),
      tests("SecureStorage", ["SecureStorage", "ServiceKit", crypto]),
      tests(
        "ServiceKit",
        [
          "IdentityContract", "InMemoryBus", "Messaging", "Operations", "ServiceKit", "Storage", coreMetrics, grdb, lifecycle,
          logging,
          signals,
        ]),
      tests(
        "Social",
        [
          "ActivityContract", "ActivityService", "BuiltPrograms", "EarlierStores", "IdentityContract", "InMemoryBus", "InProcess",
          "NotificationsContract", "NotificationsService", "Operations", "ServiceKit", "SocialContract", "SocialService",
          "Storage", "TransparencyLog", "Web", crypto, grdb, logging,
        ]),
      tests(
        "Storage",
        [
          "CScrubbingVFS", "Operations", "Sampling", "SmallDisk", "Storage", "storage-probe", grdb, logging, metricsTestKit,
          sqlite,
        ],
        exclude: ["Probe"],
        resources: [.copy("Fixtures")]),

      tests("TransparencyLog", ["Sampling", "TransparencyLog", crypto], exclude: ["Peers"]),

      // A process that writes to a store until it is killed
      .executableTarget(
        name: "storage-probe", dependencies: ["Operations", "Storage", grdb, logging], path: "Tests/Storage/Probe",
        swiftSettings: settings),

      // A program whose decoder does what none may
      .executableTarget(
        name: "sandbox-probe", dependencies: ["Sandbox"], path: "Tests/Sandbox/Probe", swiftSettings: settings),

      // The executables that were built beside the tests
      .target(
        name: "BuiltPrograms", dependencies: ["NotificationsContract"], path: "Tests/BuiltPrograms",
        exclude: ["push_service.py"], swiftSettings: settings),

      // Cases that are the same in every run, and what samples show
      .target(name: "Sampling", path: "Tests/Sampling", swiftSettings: settings),

      // A disk to be filled
      .target(name: "SmallDisk", path: "Tests/SmallDisk", swiftSettings: settings),

      // Stores that older migrations made
      .target(
        name: "EarlierStores", dependencies: ["Operations", "Storage", logging], path: "Tests/EarlierStores",
        swiftSettings: settings),

      // The bus inside one process
      .target(
        name: "InMemoryBus", dependencies: ["Messaging", "Operations"], path: "Tests/InMemoryBus", swiftSettings: settings),

      // Services in the tests' own process, with a double of identity
      .target(
        name: "InProcess",
        dependencies: [
          "BuiltPrograms", "IdentityContract", "InMemoryBus", "Messaging", "Operations", "ServiceKit", "Storage", grdb, lifecycle,
          logging, sqlite,
        ],
        path: "Tests/InProcess", exclude: ["WholeTables.json"], swiftSettings: settings),

      // An activity store with a long history
      .target(
        name: "GeneratedHistory", dependencies: ["ActivityContract", "ActivityService", "Operations", "Storage", grdb],
        path: "Tests/GeneratedHistory", swiftSettings: settings),

      // Stores of all services with very many accounts, and calls of all operations on them
      .target(
        name: "GeneratedAccounts",
        dependencies: [
          "Client", "Cluster", "GeneratedHistory", "Messaging", "Operations", "ServiceKit", "TransparencyLog", crypto, grdb,
          logging,
        ] + everyContract,
        path: "Tests/GeneratedAccounts", swiftSettings: settings),

      // Real processes: the harness that runs them, the bench, the launcher's tools
      .target(
        name: "Cluster", dependencies: ["ActivityContract", "Client", "IdentityContract", "Operations"], path: "Tests/Cluster",
        swiftSettings: settings),
      .executableTarget(
        name: "racha-bench",
        dependencies: [
          "ActivityContract", "BuiltPrograms", "Client", "Cluster", "GeneratedAccounts", "GeneratedHistory", "IdentityContract",
          "Messaging", "NotificationsContract", "Operations", "RewardsContract", "ServiceKit", "SocialContract", "Storage",
          "TransparencyLog", arguments, crypto, grdb,
          httpClient,
          lifecycle, logging,
        ],
        path: "Tests/Bench/Main", swiftSettings: settings),
      .executableTarget(
        name: "racha-bench-hello", dependencies: [hummingbird], path: "Tests/Bench/Hello", swiftSettings: settings),
      .target(
        name: "Administration",
        dependencies: [
          "Messaging", "Operations", "RewardsService", "ServiceKit", "Storage", "TransparencyLog", "Web", arguments, crypto,
          logging,
        ] + everyContract,
        path: "deploy/Admin", exclude: ["Main"], swiftSettings: settings),
      .executableTarget(
        name: "racha-admin", dependencies: ["Administration"], path: "deploy/Admin/Main", swiftSettings: settings),

      // What releases run: all of a cluster's programs in one
      .executableTarget(
        name: "racha-programs",
        dependencies: [
          "ActivityService", "Administration", "GatewayService", "IdentityService", "NotificationsService", "Operations",
          "RewardsService", "SocialService",
        ] + everyContract,
        path: "deploy/Programs", swiftSettings: settings),
      .executableTarget(
        name: "racha-demo",
        dependencies: [
          "ActivityContract", "Client", "IdentityContract", "Operations", "RewardsContract", "SocialContract", arguments,
        ],
        path: "deploy/Demo", swiftSettings: settings),
    ],
  // It has `#embed`.
  cLanguageStandard: .gnu2x
)
