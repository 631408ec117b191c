import ActivityContract
import Operations

/// Maps the types of movement that programs write: GPX itself has no list. Most write a word in English or in the phone's language; Strava
/// long wrote numbers.
enum GPXType {
  /// Strava's numbers: ride, e-bike ride, velomobile; run; hike, walk.
  private static let numbers: [String: ExerciseKind] = [
    "1": .cycling, "18": .cycling, "19": .cycling, "9": .running, "4": .walking, "10": .walking,
  ]

  /// Prefixes and parts of words, without accents; whole words in other scripts.
  private static let parts: [(ExerciseKind, [String])] = [
    (
      .cycling,
      [
        "cycl", "bik", "ride", "riding", "cicl", "velo", "radfahr", "fahrrad", "radtour", "rennrad", "radsport", "fiets",
        "wielren",
        "cykel", "cykl", "sykkel", "sykl", "pyorai", "kolarst", "rowerow", "bisiklet", "kerekpar", "biciklo", "вел",
        "ποδηλα", "骑行", "騎行", "骑车", "自行车", "自行車", "単車", "サイクリング", "自転車", "자전거", "사이클",
      ]
    ),
    (
      .running,
      [
        "run", "jog", "corr", "carrera", "corsa", "footing", "course a pied", "lauf", "hardlop", "lopning", "loping",
        "løp", "løb", "juoksu", "bieg", "kosu", "futas", "trceni", "бег", "біг", "τρεξ", "跑", "ランニング", "ジョギング", "달리기",
        "러닝", "조깅",
      ]
    ),
    (
      .walking,
      [
        "walk", "hik", "trek", "camina", "caminh", "cammin", "passegg", "escursion", "senderis", "paseo", "marche", "marcha",
        "randonn", "wander", "spazier", "gehen", "lopen", "wandel", "andar", "promenad", "vandr", "fottur", "kavel", "retkeil",
        "spacer", "wedrow", "chuze", "yuruyus", "gyalog", "turaz", "ходьб", "прогул", "поход", "похід", "пеш", "περπα",
        "πεζο", "步行", "徒步", "走路", "健走", "健行", "ウォーキング", "ハイキング", "散歩", "登山", "걷기", "하이킹", "등산",
      ]
    ),
  ]
  /// Parts of words for other types whose names have a part in common with one of these.
  private static let others = [
    "motor", "moto", "ski", "drive", "driving", "horse", "swim", "sail", "boat", "car ride", "bus ride",
  ]

  /// The kind for a word; nil where it is unknown or missing.
  static func kind(_ type: String) -> ExerciseKind? {
    let word = plain(type)
    if let kind = numbers[word] { return kind }
    if others.contains(where: word.contains) { return .other }
    return parts.first { $0.1.contains { word.contains($0) } }?.0
  }

  /// In lower case, without the accents of Latin letters.
  private static func plain(_ text: String) -> String {
    var plain = String.UnicodeScalarView()
    for scalar in text.trimmed.lowercased().unicodeScalars where !(0x300...0x36F).contains(scalar.value) {
      plain.append(letters[scalar] ?? scalar)
    }
    return String(plain)
  }

  private static let letters: [Unicode.Scalar: Unicode.Scalar] = {
    var letters: [Unicode.Scalar: Unicode.Scalar] = [:]
    for (letter, accented) in [
      ("a", "áàâäãåąă"), ("c", "çćč"), ("d", "ďđ"), ("e", "éèêëęě"), ("g", "ğ"), ("i", "íìîïı"), ("l", "ł"), ("n", "ñńň"),
      ("o", "óòôöõő"), ("r", "řŕ"), ("s", "śšş"), ("t", "ťţ"), ("u", "úùûüůű"), ("y", "ýÿ"), ("z", "źżž"),
    ] as [(Unicode.Scalar, String)] {
      for scalar in accented.unicodeScalars { letters[scalar] = letter }
    }
    return letters
  }()
}
