module example.com/suite

go 1.25.0
