import ServiceKit

/// Names and what is looked for among them are compared as all texts that are searched.
typealias DirectoryText = SearchText
