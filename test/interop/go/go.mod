module interop

go 1.25

require golang.org/x/mod v0.29.0
